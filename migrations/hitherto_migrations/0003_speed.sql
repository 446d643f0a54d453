-- speed: a scope's passages are searched by the signs of their vectors, then by cosine

CREATE TABLE vector_block (                 -- the signs of some passages of one scope, in a row
    id INTEGER PRIMARY KEY,
    project INTEGER NOT NULL,               -- 0: user-wide
    size INTEGER NOT NULL,                  -- how many passages
    passages BLOB NOT NULL,                 -- their ids: int64, little endian
    codes BLOB NOT NULL                     -- for each a bit a dimension, filled up to whole int64
) STRICT;
CREATE INDEX vector_block_project ON vector_block (project, size);

CREATE TABLE vector_place (                 -- in which block a passage is
    passage_id INTEGER PRIMARY KEY,
    block_id INTEGER NOT NULL
) STRICT;

-- the index before held the vectors once more; it is filled anew beside the running server
DROP TABLE vector_change;
DELETE FROM derived_index WHERE name IN ('vector', 'vector filling');
