-- live: those of some memories that a new statement is compared with, and that nothing replaced
SELECT m.number, m.id, m.revision, m.content, m.changed_at_ms, m.learned_at_ms, m.tier, m.suspect,
    m.true_from_ms, m.true_until_ms
FROM json_each(:numbers) AS wanted
CROSS JOIN memory AS m ON m.number = wanted.value
WHERE coalesce(m.project_id, 0) = :project AND m.trashed_at_ms IS NULL AND m.number <> :number
    AND NOT EXISTS (
        SELECT 1 FROM relation AS r JOIN memory AS n ON n.number = r.newer_number
        WHERE r.older_number = m.number AND r.kind = 'supersedes'
            AND r.undone_at_ms IS NULL AND n.trashed_at_ms IS NULL
    );

-- since: the memories of a scope that were written after another, the newest first
SELECT number FROM memory
WHERE number > :after AND +coalesce(project_id, 0) = :project AND trashed_at_ms IS NULL
ORDER BY number DESC LIMIT :most;

-- newest: the number that was given last
SELECT coalesce(max(number), 0) FROM memory;

-- subject: the memory that is compared, as it is now
SELECT m.number, m.id, m.revision, m.content, m.changed_at_ms, m.tier,
    coalesce(m.project_id, 0) AS project
FROM memory AS m
WHERE m.id = :id AND m.trashed_at_ms IS NULL
    AND NOT EXISTS (
        SELECT 1 FROM relation AS r JOIN memory AS n ON n.number = r.newer_number
        WHERE r.older_number = m.number AND r.kind = 'supersedes'
            AND r.undone_at_ms IS NULL AND n.trashed_at_ms IS NULL
    );

-- put_job: note that a memory is to be compared with its neighbours, once
INSERT INTO job (kind, subject, created_at_ms) VALUES ('compare', :id, :at_ms)
ON CONFLICT DO NOTHING;

-- waiting: the memories that are still to be compared and have their vectors, the oldest first
SELECT j.subject AS id FROM job AS j LEFT JOIN memory AS m ON m.id = j.subject
WHERE j.kind = 'compare' AND j.state = 'waiting'
    AND NOT EXISTS (
        SELECT 1 FROM passage AS p
        WHERE p.memory_number = m.number AND NOT EXISTS (
            SELECT 1 FROM embedding AS e WHERE e.passage_id = p.id AND e.model = :model)
    )
ORDER BY j.id LIMIT :most;

-- done: forget that a memory is to be compared
DELETE FROM job WHERE kind = 'compare' AND subject = :id;
