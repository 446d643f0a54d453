-- merging: a memory that was changed on both sides, until a person or an agent looks at it

CREATE TABLE merge_conflict (
    memory_number INTEGER NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
    kept_revision INTEGER NOT NULL,         -- what holds now; the next one settles it
    other_revision INTEGER NOT NULL,        -- what the other side said last
    found_at_ms INTEGER NOT NULL,
    PRIMARY KEY (memory_number, other_revision)
) STRICT, WITHOUT ROWID;

-- imports of a client's history: what was read, what it made, so that a kill costs one file at most

CREATE TABLE history_import (
    id INTEGER PRIMARY KEY,
    client_home TEXT NOT NULL,              -- the client's folder that was read
    admits INTEGER NOT NULL,                -- 1: the person admitted what they said themselves
    began_at_ms INTEGER NOT NULL,
    finished_at_ms INTEGER,                 -- null: it goes on, after a restart too
    undone_at_ms INTEGER
) STRICT;

CREATE TABLE history_file (
    import_id INTEGER NOT NULL REFERENCES history_import (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    state TEXT NOT NULL,                    -- size, time and rules; the same again is not read again
    counts TEXT NOT NULL,                   -- JSON: what became of what it said
    read_at_ms INTEGER NOT NULL,
    PRIMARY KEY (import_id, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX history_file_path ON history_file (path);

CREATE TABLE history_memory (               -- the memories that an import brought
    memory_number INTEGER PRIMARY KEY REFERENCES memory (number) ON DELETE CASCADE,
    import_id INTEGER NOT NULL REFERENCES history_import (id),
    imported_at_ms INTEGER NOT NULL,
    undone_at_ms INTEGER                    -- an undo put it into the trash, not a person
) STRICT;
CREATE INDEX history_memory_import ON history_memory (import_id);

-- candidates: sessions that asked for one and were given it first

CREATE TABLE candidate_use (
    memory_number INTEGER NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
    session_id TEXT NOT NULL,
    used_at_ms INTEGER NOT NULL,
    PRIMARY KEY (memory_number, session_id)
) STRICT, WITHOUT ROWID;
