-- all: the categories of a scope, each with how many live memories are filed in it, if that is wanted
SELECT c.id, c.parent_id, c.name, c.trashed_at_ms,
    CASE WHEN :counts THEN (
        SELECT count(*) FROM memory AS m
        WHERE m.category_id = c.id AND m.category_id IS NOT NULL AND m.trashed_at_ms IS NULL
    ) ELSE 0 END AS memories
FROM category AS c
WHERE coalesce(c.project_id, 0) = :project
ORDER BY c.name, c.id;

-- insert: a new category
INSERT INTO category (project_id, parent_id, name, created_at_ms)
VALUES (nullif(:project, 0), :parent, :name, :at_ms) RETURNING id;

-- rename: give a category another name
UPDATE category SET name = :name WHERE id = :id;

-- trash: no memory is filed in a category any more; null: it is again
UPDATE category SET trashed_at_ms = :at_ms WHERE id = :id;

-- held: the live memories of a category, in the order of their numbers
SELECT number FROM memory
WHERE category_id = :id AND trashed_at_ms IS NULL AND number > :after
ORDER BY number LIMIT :most;

-- filed: a live memory, with where it is filed
SELECT m.number, m.revision, m.content, m.kind, m.category_id, coalesce(m.project_id, 0) AS project
FROM memory AS m WHERE m.id = :id AND m.trashed_at_ms IS NULL;

-- misfiled: what a judgment says belongs in another category, the latest first; it counts while the
-- text and the category are as judged
SELECT v.id, m.number, CAST(v.answer AS INTEGER) AS goal, v.probability, v.judged_at_ms
FROM verdict AS v
JOIN memory AS m ON m.number = v.memory_number AND m.trashed_at_ms IS NULL
JOIN revision AS r ON r.memory_number = v.memory_number AND r.revision = v.revision
JOIN category AS c ON c.id = CAST(v.answer AS INTEGER) AND c.trashed_at_ms IS NULL
WHERE v.surface = 'category-check' AND v.answer <> 'stays' AND v.id < :before
    AND (:only IS NULL OR m.number IN (SELECT value FROM json_each(:only)))
    AND (:projects IS NULL
         OR coalesce(m.project_id, 0) IN (SELECT value FROM json_each(:projects)))
    AND r.content = m.content AND json_extract(r.state, '$.category_id') IS m.category_id
    AND c.id IS NOT m.category_id AND coalesce(c.project_id, 0) = coalesce(m.project_id, 0)
    AND NOT EXISTS (
        SELECT 1 FROM category AS child
        WHERE child.parent_id = c.id AND child.trashed_at_ms IS NULL)
    AND NOT EXISTS (
        SELECT 1 FROM verdict AS later
        WHERE later.memory_number = v.memory_number AND later.surface = v.surface
            AND later.id > v.id)
ORDER BY v.id DESC LIMIT :most;
