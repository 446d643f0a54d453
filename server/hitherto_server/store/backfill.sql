-- unjudged: memories that were not judged as they read now, the newest first; one without a vector
-- has no neighbours yet
SELECT number, id, relate, classify FROM (
    SELECT m.number, m.id,
        :relate AND EXISTS (
            SELECT 1 FROM passage AS p JOIN embedding AS e ON e.passage_id = p.id
                AND e.model = :model
            WHERE p.memory_number = m.number)
        AND NOT EXISTS (
            SELECT 1 FROM verdict AS v JOIN revision AS r
                ON r.memory_number = v.memory_number AND r.revision = v.revision
            WHERE v.memory_number = m.number AND v.surface = 'relations'
                AND r.content = m.content) AS relate,
        :classify AND NOT EXISTS (
            SELECT 1 FROM verdict AS v JOIN revision AS r
                ON r.memory_number = v.memory_number AND r.revision = v.revision
            WHERE v.memory_number = m.number AND v.surface = 'importance-kind'
                AND r.content = m.content) AS classify
    FROM memory AS m
    WHERE m.number < :before AND m.trashed_at_ms IS NULL AND m.tier = 'admitted'
        AND NOT EXISTS (
            SELECT 1 FROM relation AS s JOIN memory AS n ON n.number = s.newer_number
            WHERE s.older_number = m.number AND s.kind = 'supersedes'
                AND s.undone_at_ms IS NULL AND n.trashed_at_ms IS NULL)
    ORDER BY m.number DESC
)
WHERE relate OR classify
LIMIT :most;

-- lengths: how long some memories are
SELECT coalesce(sum(min(length(m.content), :most_chars)), 0) FROM json_each(:numbers) AS wanted
CROSS JOIN memory AS m ON m.number = wanted.value;

-- means: what a request of a surface took, where enough are logged to tell
SELECT avg(input_tokens) AS tokens FROM judgment_log
WHERE surface = :surface AND unavailable_reason IS NULL AND input_tokens > 0 AND NOT cached
HAVING count(*) >= :least;

-- start: begin a run
INSERT INTO backfill (state, total, began_at_ms) VALUES ('running', :total, :at_ms) RETURNING *;

-- live: the run that goes on or is paused
SELECT * FROM backfill WHERE state IN ('running', 'paused');

-- last: the newest run
SELECT * FROM backfill ORDER BY id DESC LIMIT 1;

-- set_state: have the run go on, rest or end
UPDATE backfill SET state = :state, why = :why, finished_at_ms = :finished_at_ms,
    failures = iif(:state = 'running', 0, failures)
WHERE id = :id AND state IN ('running', 'paused');

-- count: add what became of one memory
UPDATE backfill SET
    judged = judged + :judged, passed_over = passed_over + :passed_over,
    relations = relations + :relations, superseded = superseded + :superseded,
    kinds = kinds + :kinds, disagreements = disagreements + :disagreements,
    input_tokens = input_tokens + :input_tokens, output_tokens = output_tokens + :output_tokens,
    cost_usd = iif(:cost_usd IS NULL, cost_usd, coalesce(cost_usd, 0.0) + :cost_usd)
WHERE id = :id;

-- step: note how far the run is, and how many times in a row nothing came
UPDATE backfill SET before_number = :before_number, worked_ms = worked_ms + :worked_ms,
    failures = :failures, why = iif(state = 'running', :why, why)
WHERE id = :id;
