-- insert: say that the newer memory relates to the older one
INSERT INTO relation (
    kind, newer_number, older_number, said_by, probability, reason, created_at_ms
) VALUES (:kind, :newer, :older, :said_by, :probability, :reason, :at_ms)
ON CONFLICT DO NOTHING;

-- would_circle: whether the older memory already replaces the newer one
WITH RECURSIVE replaced (number) AS (
    SELECT :older
    UNION
    SELECT r.older_number FROM relation AS r JOIN replaced ON r.newer_number = replaced.number
    WHERE r.kind = 'supersedes' AND r.undone_at_ms IS NULL
)
SELECT 1 FROM replaced WHERE number = :newer;

-- undo_supersessions: take back what a memory replaced; it is kept, so that no job repeats it
UPDATE relation SET undone_at_ms = :at_ms, undone_by = :actor
WHERE newer_number = :newer AND kind = 'supersedes' AND undone_at_ms IS NULL;

-- undo_replacement: take back what replaced a memory
UPDATE relation SET undone_at_ms = :at_ms, undone_by = :actor
WHERE older_number = :older AND kind = 'supersedes' AND undone_at_ms IS NULL;

-- replacement: the live memory that replaced another last
SELECT n.id FROM relation AS r JOIN memory AS n ON n.number = r.newer_number
WHERE r.older_number = :older AND r.kind = 'supersedes' AND r.undone_at_ms IS NULL
    AND n.trashed_at_ms IS NULL
ORDER BY r.id DESC LIMIT 1;
