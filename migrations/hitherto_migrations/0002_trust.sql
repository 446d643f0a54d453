-- control: what a person said of an injection; what is to be left alone

CREATE TABLE feedback (                     -- 'wrong', said of a memory that a session was given
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    admission TEXT NOT NULL,                -- the injection that it was said of
    memory_number INTEGER NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
    revision INTEGER NOT NULL,              -- the text that was given
    reason TEXT,                            -- in the person's words, redacted
    said_by TEXT NOT NULL,
    said_at_ms INTEGER NOT NULL,
    undone_at_ms INTEGER
) STRICT;
CREATE UNIQUE INDEX feedback_once ON feedback (session_id, memory_number)
    WHERE undone_at_ms IS NULL;
CREATE INDEX feedback_memory ON feedback (memory_number) WHERE undone_at_ms IS NULL;

CREATE TABLE quiet (                        -- sessions and folders that hooks leave alone
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('pause', 'ignore')),
    session_id TEXT,
    path TEXT,                              -- absolute, as it was named
    began_at_ms INTEGER NOT NULL,
    until_ms INTEGER,                       -- null: until it is taken back
    ended_at_ms INTEGER,                    -- when it was taken back; kept for what the spool brings
    CHECK ((session_id IS NULL) <> (path IS NULL)),
    CHECK (kind = 'pause' OR path IS NOT NULL)
) STRICT;

-- duplicates: in what a possible conflict lies, and what is never to be said again

ALTER TABLE relation ADD COLUMN slot TEXT CHECK (slot IN ('value', 'polarity'));
CREATE INDEX relation_undone ON relation (newer_number, older_number)
    WHERE undone_at_ms IS NOT NULL;

-- models: whose vectors serve, and whose are being made

CREATE TABLE embedding_model (
    name TEXT PRIMARY KEY,                  -- as in embedding.model
    configured TEXT NOT NULL,               -- the setting that led to it: a name or a folder
    dimension INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('serving', 'coming', 'leaving')),
    since_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX embedding_model_state ON embedding_model (state) WHERE state <> 'leaving';

INSERT INTO embedding_model (name, configured, dimension, state, since_ms)
SELECT model, model, dimension, 'serving', 0 FROM embedding
GROUP BY model ORDER BY count(*) DESC LIMIT 1;

-- recall: a session's memories side by side, and who speaks in a project

CREATE INDEX memory_session ON memory (session_id, number) WHERE session_id IS NOT NULL;
CREATE INDEX memory_actor ON memory (project_id, actor);
CREATE INDEX memory_chunk ON memory (source) WHERE source = 'transcript';

-- listing and counting: a page, and how many there are, without reading every memory
-- (`trashed_at_ms` is null in all of it, but without it each count would read the rows)

DROP INDEX memory_recent;
CREATE INDEX memory_live
    ON memory (coalesce(project_id, 0), learned_at_ms DESC, number DESC, kind, trashed_at_ms)
    WHERE trashed_at_ms IS NULL;

-- vectors in memory: how often a scope's vectors changed, so that a copy knows when it is old

CREATE TABLE vector_change (
    project INTEGER PRIMARY KEY,            -- 0: user-wide; -1: the whole index was made anew
    version INTEGER NOT NULL
) STRICT;
