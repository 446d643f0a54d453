-- last_id: the newest number that the log gave
SELECT coalesce(max(id), 0) FROM judgment_log;

-- put_entry: log a judgment
INSERT INTO judgment_log (
    id, asked_at_ms, surface, riders, origin, session_id, project_id, model, latency_ms,
    input_tokens, output_tokens, cost_usd, preview, answers, unavailable_reason, detail, outcome,
    question_hash, cached)
VALUES (
    :id, :asked_at_ms, :surface, :riders, :origin, :session_id,
    (SELECT id FROM project WHERE id = :project_id), :model, :latency_ms,
    :input_tokens, :output_tokens, :cost_usd, :preview, :answers, :unavailable_reason, :detail,
    :outcome, :question_hash, :cached);

-- put_outcome: log what was done with one
UPDATE judgment_log SET outcome = :outcome WHERE id = :id;

-- prune_log: keep the newest
DELETE FROM judgment_log WHERE id <= (SELECT max(id) FROM judgment_log) - :kept;

-- listed: the log, the newest first
SELECT l.*, p.name AS project FROM judgment_log AS l LEFT JOIN project AS p ON p.id = l.project_id
WHERE (:surface IS NULL OR l.surface = :surface
       OR EXISTS (SELECT 1 FROM json_each(l.riders) WHERE value = :surface))
  AND (:session_id IS NULL OR l.session_id = :session_id)
  AND (:origin IS NULL OR l.origin = :origin)
  AND (:before_id IS NULL OR l.id < :before_id)
ORDER BY l.id DESC LIMIT :limit;

-- sessions: who was judged for, the latest first, with what it cost
SELECT session_id, count(*) AS asked,
    sum(unavailable_reason IS NOT NULL) AS unavailable, sum(cached) AS cached,
    sum(input_tokens) AS input_tokens, sum(cost_usd) AS cost_usd, max(asked_at_ms) AS last_at_ms
FROM judgment_log WHERE session_id IS NOT NULL
GROUP BY session_id ORDER BY last_at_ms DESC LIMIT :limit;

-- surfaces: how often each surface asked since then, and how that ended
SELECT surface, coalesce(unavailable_reason, 'answered') AS ended, count(*) AS times,
    sum(cost_usd) AS cost_usd, avg(latency_ms) AS latency_ms
FROM judgment_log WHERE asked_at_ms >= :since_ms GROUP BY 1, 2 ORDER BY 1, 2;

-- find_cached: an answer that was given to the very same
SELECT model, calibrated, answers FROM judgment_cache
WHERE request_hash = :request_hash AND expires_at_ms > :at_ms;

-- put_cached: keep an answer
INSERT OR REPLACE INTO judgment_cache (
    request_hash, model, calibrated, answers, answered_at_ms, expires_at_ms)
VALUES (:request_hash, :model, :calibrated, :answers, :answered_at_ms, :expires_at_ms);

-- prune_cache: forget what ended, and the oldest beyond what is kept
DELETE FROM judgment_cache
WHERE expires_at_ms <= :at_ms
   OR request_hash IN (
       SELECT request_hash FROM judgment_cache ORDER BY answered_at_ms DESC LIMIT -1 OFFSET :kept);

-- clear_cache: forget all answers
DELETE FROM judgment_cache;

-- count_cached: how many there are
SELECT count(*) FROM judgment_cache;

-- previews: what the log shows of what was judged
SELECT id, preview FROM judgment_log WHERE preview IS NOT NULL;

-- drop_preview: show nothing of it any more
UPDATE judgment_log SET preview = NULL WHERE id = :id;
