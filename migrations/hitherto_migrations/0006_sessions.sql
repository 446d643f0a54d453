-- the coding session: what a turn did, which a stop is judged by

CREATE TABLE evidence (                     -- commands, edits and tool results of a turn, redacted
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    prompt_id TEXT NOT NULL,                -- '' before the first prompt
    agent_id TEXT,                          -- null: the main agent's
    call_id TEXT NOT NULL,                  -- the client's id of the tool call, or the memory's
    kind TEXT NOT NULL CHECK (kind IN ('command', 'edit', 'result', 'memory')),
    subject TEXT NOT NULL,                  -- the command line, the path, the tool or the memory
    failed INTEGER,                         -- null: not known
    exit_code INTEGER,
    tail TEXT NOT NULL DEFAULT '',          -- the end of what it printed
    at_ms INTEGER NOT NULL,
    UNIQUE (session_id, call_id, kind, subject)
) STRICT;
CREATE INDEX evidence_turn ON evidence (session_id, prompt_id, id);

-- worth: what sessions were shown unasked, and whether it was right

CREATE TABLE shown_notice (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,                     -- 'notice:changed', 'block:turn-worth', 'nudge:…'
    session_id TEXT NOT NULL,
    project_id INTEGER REFERENCES project (id),
    subject TEXT NOT NULL,                  -- a memory's id, a prompt's id: what it was about
    shown_at_ms INTEGER NOT NULL,
    outcome TEXT CHECK (outcome IN ('right', 'heeded', 'wrong', 'ignored', 'unclear')),
    because TEXT,                           -- what shows it, in a few words of ours
    settled_at_ms INTEGER,
    UNIQUE (session_id, kind, subject)
) STRICT;
CREATE INDEX shown_notice_kind ON shown_notice (kind, project_id, outcome, shown_at_ms);

CREATE TABLE notice_switch (                -- kinds that a person switched on again
    kind TEXT PRIMARY KEY,
    counted_from_ms INTEGER NOT NULL        -- what was shown before does not count any more
) STRICT, WITHOUT ROWID;

-- compaction: what of a session is given back after it

CREATE TABLE digest (
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    generation INTEGER,                     -- that the compaction ended; null: not told to have happened
    asked_at_ms INTEGER NOT NULL,           -- when the client was about to compact
    done_at_ms INTEGER,                     -- when it said that it had
    done_by TEXT CHECK (done_by IN ('start', 'end')),   -- SessionStart(compact) or PostCompact
    chosen_by TEXT NOT NULL CHECK (chosen_by IN ('rule', 'judge')),
    items TEXT NOT NULL,                    -- messages without their secrets, as JSON
    given_at_ms INTEGER,
    memory_id TEXT,                         -- the candidate that it became
    CHECK ((generation IS NULL) = (done_at_ms IS NULL)),
    UNIQUE (session_id, asked_at_ms)
) STRICT;
CREATE UNIQUE INDEX digest_once ON digest (session_id, generation);

CREATE TABLE approval (                     -- each time that a plan was approved
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    memory_number INTEGER NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
    file TEXT NOT NULL,                     -- the plan file's name; '': not known
    at_ms INTEGER NOT NULL,
    UNIQUE (session_id, memory_number, at_ms)
) STRICT;
CREATE INDEX approval_file ON approval (file, at_ms);

-- past sessions: what was said and done in them, in pieces that are searched

CREATE TABLE transcript (                   -- a client's transcript, and how far it is read
    id INTEGER PRIMARY KEY,
    path_hash TEXT NOT NULL UNIQUE,
    path TEXT,                              -- null: purged, and sought no more until a hook names it
    session_id TEXT NOT NULL,               -- '' where it was purged
    head TEXT NOT NULL DEFAULT '',          -- of its first bytes: tells another file of that name
    read_offset INTEGER NOT NULL DEFAULT 0 CHECK (read_offset >= 0),
    found_offset INTEGER NOT NULL DEFAULT 0 CHECK (found_offset >= 0), -- until where findings were looked for
    since_ms INTEGER NOT NULL DEFAULT 0,    -- what was said before is never read (again)
    seen_at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE chunk (                        -- one exchange, or a part of a long one; redacted
    id INTEGER PRIMARY KEY,
    transcript_id INTEGER NOT NULL REFERENCES transcript (id) ON DELETE CASCADE,
    session_id TEXT NOT NULL,
    project_id INTEGER NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    message_id TEXT NOT NULL,               -- the client's id of the prompt
    sequence INTEGER NOT NULL CHECK (sequence >= 0), -- the part of that exchange
    from_offset INTEGER NOT NULL,
    to_offset INTEGER NOT NULL,
    started_at_ms INTEGER NOT NULL,
    ended_at_ms INTEGER NOT NULL,
    working_dir TEXT NOT NULL,
    branch TEXT,
    text TEXT NOT NULL,
    files TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(files)),
    UNIQUE (message_id, sequence)           -- a resumed session may carry the former one's messages
) STRICT;
CREATE INDEX chunk_session ON chunk (session_id, started_at_ms);
CREATE INDEX chunk_recent ON chunk (project_id, started_at_ms DESC);
CREATE INDEX chunk_transcript ON chunk (transcript_id, from_offset);

CREATE TABLE chunk_vector (
    chunk_id INTEGER PRIMARY KEY REFERENCES chunk (id) ON DELETE CASCADE,
    model TEXT NOT NULL,
    vector BLOB NOT NULL
) STRICT;

-- worth: what became of what sessions were given, and what they cost

CREATE TABLE memory_worth (                 -- one row for each time that the ledger gave a memory
    session_id TEXT NOT NULL,
    agent TEXT NOT NULL,                    -- '': the session itself
    generation INTEGER NOT NULL,
    memory_number INTEGER NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
    revision INTEGER NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('used', 'contradicted', 'ignored', 'unclear')),
    blame TEXT CHECK (blame IN ('false', 'stale')),   -- of a contradicted one: wrong, or outdated
    because TEXT NOT NULL,                  -- what shows it, in a few words
    standing TEXT,                          -- that it was given with
    tokens INTEGER,
    given_at_ms INTEGER NOT NULL,
    PRIMARY KEY (session_id, agent, generation, memory_number, revision)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_worth_memory ON memory_worth (memory_number, outcome);

CREATE TABLE session_worth (                -- null: not known
    session_id TEXT PRIMARY KEY,
    input_tokens INTEGER,
    output_tokens INTEGER,
    cache_creation_tokens INTEGER,
    cache_read_tokens INTEGER,
    replies INTEGER,                        -- that the transcripts hold, each counted once
    silent_replies INTEGER,                 -- of these: how many do not say what they took
    through_event INTEGER NOT NULL,         -- the last event that was looked at
    transcript TEXT,                        -- where the client keeps it
    computed_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- recall: a scope whose vectors stay in memory tells by it which of its blocks changed

ALTER TABLE vector_block ADD COLUMN edition INTEGER NOT NULL DEFAULT 0;  -- another one with each change
CREATE INDEX vector_block_edition ON vector_block (project, id, edition, size);

-- loops: a task that a session works on again and again

CREATE TABLE loop (
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    project_id INTEGER REFERENCES project (id) ON DELETE SET NULL,
    task TEXT NOT NULL,                     -- without its secrets
    state TEXT NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'paused', 'ended')),
    reason TEXT CHECK (reason IN ('blocked', 'waiting', 'idle', 'done', 'goal', 'iterations', 'time',
                                  'stopped', 'person', 'session')),
    iteration INTEGER NOT NULL DEFAULT 1 CHECK (iteration >= 1),
    most_iterations INTEGER NOT NULL,
    started_at_ms INTEGER NOT NULL,
    until_ms INTEGER NOT NULL,
    ended_at_ms INTEGER,
    prompt_id TEXT NOT NULL DEFAULT '',     -- in whose turn the iteration was asked for
    idle INTEGER NOT NULL DEFAULT 0,        -- iterations in a row without a tool call
    asked_at_ms INTEGER NOT NULL DEFAULT 0,
    is_told INTEGER NOT NULL DEFAULT 0 CHECK (is_told IN (0, 1)),
    CHECK ((state = 'ended') = (ended_at_ms IS NOT NULL)),
    CHECK (iteration <= most_iterations)
) STRICT;
CREATE UNIQUE INDEX loop_live ON loop (session_id) WHERE state <> 'ended';
CREATE INDEX loop_session ON loop (session_id, id);

CREATE TABLE loop_entry (                   -- the journal, redacted
    id INTEGER PRIMARY KEY,
    loop_id INTEGER NOT NULL REFERENCES loop (id) ON DELETE CASCADE,
    iteration INTEGER NOT NULL,
    written_by TEXT NOT NULL CHECK (written_by IN ('agent', 'reply')),
    text TEXT NOT NULL,
    at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX loop_entry_loop ON loop_entry (loop_id, id);
