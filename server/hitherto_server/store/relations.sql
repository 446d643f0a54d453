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
UPDATE relation SET
    undone_at_ms = :at_ms,
    undone_by = iif(:actor IN ('rule', 'judge'), 'agent', :actor)  -- what those two took back may be said again
WHERE newer_number = :newer AND kind = 'supersedes' AND undone_at_ms IS NULL;

-- undo_replacement: take back what replaced a memory
UPDATE relation SET
    undone_at_ms = :at_ms,
    undone_by = iif(:actor IN ('rule', 'judge'), 'agent', :actor)  -- what those two took back may be said again
WHERE older_number = :older AND kind = 'supersedes' AND undone_at_ms IS NULL;

-- replacement: the live memory that replaced another last
SELECT n.id FROM relation AS r JOIN memory AS n ON n.number = r.newer_number
WHERE r.older_number = :older AND r.kind = 'supersedes' AND r.undone_at_ms IS NULL
    AND n.trashed_at_ms IS NULL
ORDER BY r.id DESC LIMIT 1;

-- propose: say by rule what two memories are to each other, unless anybody said something already
INSERT INTO relation (kind, newer_number, older_number, said_by, reason, slot, created_at_ms)
SELECT :kind, :newer, :older, 'rule', :reason, :slot, :at_ms
WHERE NOT EXISTS (
    SELECT 1 FROM relation AS r
    WHERE (r.newer_number, r.older_number) IN (VALUES (:newer, :older), (:older, :newer))
      AND r.undone_at_ms IS NULL
      AND r.kind IN ('duplicate_of', 'possible_conflict', 'similar', 'supersedes')
) AND NOT EXISTS (
    SELECT 1 FROM relation AS r
    WHERE (r.newer_number, r.older_number) IN (VALUES (:newer, :older), (:older, :newer))
      AND r.undone_at_ms IS NOT NULL AND r.undone_by IS NOT 'rule'
      AND r.kind IN ('duplicate_of', 'possible_conflict', 'similar')
);

-- withdraw: take back what rules and judgments read off a memory's text, which is another now; a
-- conflict that a rule found without a slot lies in what the writer said outright
UPDATE relation SET undone_at_ms = :at_ms, undone_by = 'rule'
WHERE decided_at_ms IS NULL
  AND (said_by = 'judge' OR (said_by = 'rule' AND kind <> 'supersedes'
       AND (kind <> 'possible_conflict' OR slot IS NOT NULL)))
  AND id IN (
    SELECT id FROM relation
    WHERE kind IN ('duplicate_of', 'possible_conflict', 'similar', 'supersedes')
        AND newer_number = :number AND undone_at_ms IS NULL
    UNION
    SELECT id FROM relation
    WHERE kind IN ('duplicate_of', 'possible_conflict', 'similar', 'supersedes')
        AND older_number = :number AND undone_at_ms IS NULL
);

-- reopen: what a judgment took back was said of a text that is another now: rules may speak again
UPDATE relation SET undone_by = 'rule'
WHERE undone_at_ms IS NOT NULL AND undone_by = 'judge'
  AND (newer_number = :number OR older_number = :number);

-- forget_reasons: drop the words of a memory that rules quoted
UPDATE relation SET reason = NULL
WHERE said_by = 'rule' AND id IN (
    SELECT id FROM relation WHERE newer_number = :number
    UNION
    SELECT id FROM relation WHERE older_number = :number
);

-- repeats: which of some memories a newer live one repeats, or gives another value than
SELECT r.older_number AS number, r.newer_number AS newer
FROM json_each(:numbers) AS wanted
CROSS JOIN relation AS r ON r.older_number = wanted.value
    AND r.kind IN ('duplicate_of', 'possible_conflict')
JOIN memory AS o ON o.number = r.older_number
JOIN memory AS n ON n.number = r.newer_number
WHERE r.undone_at_ms IS NULL AND r.decided_at_ms IS NULL
  AND (r.said_by = 'rule' OR (r.said_by = 'judge' AND r.probability IS NOT NULL))
  AND (r.kind = 'duplicate_of' OR r.slot = 'value')
  AND n.trashed_at_ms IS NULL
  AND (o.source <> 'user-told' OR n.source = 'user-told');
