-- any: whether a judgment on a memory beside its file is kept at all
SELECT 1 FROM verdict INDEXED BY verdict_of_file
WHERE surface IN ('stale-check', 'edit-stale') LIMIT 1;

-- on_files: what was judged of some memories as they read now; a confirmation answers it
SELECT v.memory_number AS number, v.answer, v.probability, v.basis_hash
FROM json_each(:numbers) AS wanted
CROSS JOIN verdict AS v INDEXED BY verdict_of_file ON v.memory_number = wanted.value
CROSS JOIN memory AS m ON m.number = v.memory_number
WHERE v.surface IN ('stale-check', 'edit-stale') AND v.revision = m.revision
    AND v.judged_at_ms > coalesce(m.confirmed_at_ms, 0)
ORDER BY v.id;

-- drop_same: what was judged before on the same basis
DELETE FROM verdict
WHERE memory_number = :number AND basis_hash = :basis_hash
    AND surface IN ('stale-check', 'edit-stale');

-- put: keep what was judged of a revision; nothing where the memory has moved on
INSERT INTO verdict (
    memory_number, revision, surface, answer, probability, basis_hash, judged_at_ms
)
SELECT number, revision, :surface, :answer, :probability, :basis_hash, :judged_at_ms
FROM memory
WHERE number = :number AND revision = :revision AND trashed_at_ms IS NULL;
