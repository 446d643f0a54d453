-- merging: a memory that was changed on both sides, until a person or an agent looks at it

CREATE TABLE merge_conflict (
    memory_number INTEGER NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
    kept_revision INTEGER NOT NULL,         -- what holds now; the next one settles it
    other_revision INTEGER NOT NULL,        -- what the other side said last
    found_at_ms INTEGER NOT NULL,
    PRIMARY KEY (memory_number, other_revision)
) STRICT, WITHOUT ROWID;
