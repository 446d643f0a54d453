-- block_of: the block that holds a passage
SELECT b.id, b.size, b.passages, b.codes
FROM vector_place AS p JOIN vector_block AS b ON b.id = p.block_id
WHERE p.passage_id = :passage_id;

-- open_block: a block of a scope that has room
SELECT id, size, passages, codes FROM vector_block
WHERE project = :project AND size < :full
ORDER BY size DESC LIMIT 1;

-- new_block: an empty block
INSERT INTO vector_block (project, size, passages, codes) VALUES (:project, 0, x'', x'');

-- set_block: what a block holds now
UPDATE vector_block
SET size = :size, passages = :passages, codes = :codes, edition = random()
WHERE id = :id;

-- drop_block: forget a block
DELETE FROM vector_block WHERE id = :id;

-- put_place: note where a passage is
INSERT INTO vector_place (passage_id, block_id) VALUES (:passage_id, :id);

-- drop_place: forget where a passage is
DELETE FROM vector_place WHERE passage_id = :passage_id;

-- clear_blocks: forget all blocks
DELETE FROM vector_block;

-- clear_places: forget where the passages are
DELETE FROM vector_place;

-- blocks: all blocks of a scope
SELECT passages, codes FROM vector_block WHERE project = :project;

-- editions: the blocks of a scope, without what they hold
SELECT id, edition, size FROM vector_block WHERE project = :project ORDER BY id;

-- passages_of: which passages a block holds
SELECT passages FROM vector_block WHERE id = :id;

-- block_vectors: the vectors that the signs of a block stand for, and whose they are
SELECT p.memory_number AS number, p.start_char, p.end_char, e.vector
FROM json_each(:passages) AS wanted
CROSS JOIN embedding AS e ON e.passage_id = wanted.value AND e.model = :model
    AND length(e.vector) = 4 * e.dimension
CROSS JOIN passage AS p ON p.id = e.passage_id;

-- held: all that is held, by block
SELECT id, project, passages, codes FROM vector_block;

-- places: in which block each passage is
SELECT passage_id, block_id FROM vector_place;

-- nearest: of some passages those whose vectors have the greatest cosine to one, best first
SELECT p.memory_number AS number, near.cosine, p.start_char, p.end_char
FROM (
    SELECT e.passage_id, 1.0 - vec_distance_cosine(e.vector, :vector) AS cosine
    FROM json_each(:passages) AS wanted
    CROSS JOIN embedding AS e ON e.passage_id = wanted.value AND e.model = :model
        AND length(e.vector) = 4 * e.dimension  -- a damaged one must hide no other
    ORDER BY cosine DESC LIMIT :most
) AS near
CROSS JOIN passage AS p ON p.id = near.passage_id;

-- extension: whether sqlite-vec is there
SELECT 1 FROM pragma_function_list WHERE name = 'vec_version' LIMIT 1;
