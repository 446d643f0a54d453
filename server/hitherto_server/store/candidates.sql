-- waiting: the live candidates of some projects, the oldest of the queue first
SELECT m.number, m.id, m.revision, m.kind, m.content, m.held_back_because, m.suspect,
    m.source_ref, m.learned_at_ms, coalesce(h.imported_at_ms, m.learned_at_ms) AS waits_since_ms,
    p.name AS project_name
FROM memory AS m INDEXED BY memory_candidates
LEFT JOIN history_memory AS h ON h.memory_number = m.number
LEFT JOIN project AS p ON p.id = m.project_id
WHERE m.tier = 'candidate' AND m.trashed_at_ms IS NULL
  AND (:projects IS NULL OR coalesce(m.project_id, 0) IN (SELECT value FROM json_each(:projects)))
ORDER BY waits_since_ms, m.number
LIMIT :most;

-- trusts: who speaks for a memory
SELECT DISTINCT trust FROM support WHERE memory_number = :number;

-- rival: a memory that may contradict it, and is no older
SELECT o.id FROM relation AS r
JOIN memory AS o ON o.number = CASE r.newer_number WHEN :number THEN r.older_number
                                                  ELSE r.newer_number END
JOIN memory AS m ON m.number = :number
WHERE r.kind = 'possible_conflict' AND r.undone_at_ms IS NULL AND r.decided_at_ms IS NULL
  AND (r.newer_number = :number OR r.older_number = :number)
  AND o.trashed_at_ms IS NULL
  AND (o.tier = 'admitted' OR o.learned_at_ms >= m.learned_at_ms)
LIMIT 1;

-- admit: a candidate is one no longer
UPDATE memory SET tier = 'admitted', held_back_because = NULL WHERE number = :number;

-- hold: say why a candidate is held back
UPDATE memory SET tier = 'candidate', held_back_because = :because WHERE number = :number;

-- put_use: note that a session asked for a candidate
INSERT OR IGNORE INTO candidate_use (memory_number, session_id, used_at_ms)
VALUES (:number, :session_id, :at_ms);

-- uses: in how many sessions a candidate was asked for
SELECT count(*) FROM candidate_use WHERE memory_number = :number;
