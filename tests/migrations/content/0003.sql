-- What step 3 added: the signs of vectors, derived and made anew where they don't fit.

INSERT INTO vector_block (id, project, size, passages, codes) VALUES
    (1, 1, 1, X'0100000000000000', X'0F00000000000000');

INSERT INTO vector_place (passage_id, block_id) VALUES (1, 1);
