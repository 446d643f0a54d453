-- put: note what is to be done, once a kind and subject; asked for again it is as urgent as the most urgent
INSERT INTO job (kind, subject, payload, priority, not_before_ms, created_at_ms)
VALUES (:kind, :subject, :payload, :priority, :not_before_ms, :at_ms)
ON CONFLICT (kind, subject) WHERE state IN ('waiting', 'leased')
DO UPDATE SET priority = min(priority, excluded.priority);

-- drop_ended: forget that a job failed or was cancelled before: it is asked for anew
DELETE FROM job WHERE state IN ('failed', 'cancelled') AND kind = :kind AND subject = :subject;

-- next: what is due, the most urgent first, of the kinds that may be taken
SELECT id FROM job
WHERE state = 'waiting' AND not_before_ms <= :at_ms
  AND kind IN (SELECT value FROM json_each(:kinds))
ORDER BY priority, not_before_ms, id LIMIT 1;

-- lease: take a job for a while
UPDATE job SET state = 'leased', attempts = attempts + 1, leased_until_ms = :until_ms
WHERE id = :id AND state = 'waiting'
RETURNING id, kind, subject, payload, attempts, progress;

-- holds: whether whoever took a job still has it
SELECT 1 FROM job WHERE id = :id AND state = 'leased' AND attempts = :attempts;

-- expired: jobs whose lease has ended, and with it whoever had taken them
SELECT id FROM job WHERE state = 'leased' AND leased_until_ms <= :at_ms;

-- free: give back what nobody works at; what ended its worker each time is given up
UPDATE job SET
    state = iif(attempts >= :most, 'failed', 'waiting'),
    failure = iif(attempts >= :most, 'whoever took it was gone each time', failure),
    finished_at_ms = iif(attempts >= :most, :at_ms, NULL),
    leased_until_ms = NULL
WHERE state = 'leased' AND (:all OR leased_until_ms <= :at_ms);

-- drop_cancelled: forget what was cancelled
DELETE FROM job WHERE state = 'cancelled';

-- soonest: when the next job of some kinds is due, and when the next lease ends
SELECT
    (SELECT min(not_before_ms) FROM job
     WHERE state = 'waiting' AND kind IN (SELECT value FROM json_each(:kinds))) AS due_ms,
    (SELECT min(leased_until_ms) FROM job WHERE state = 'leased') AS ends_ms;

-- done: what is done leaves no row
DELETE FROM job WHERE id = :id;

-- wait: have a job tried again later; what was not its own fault does not count as an attempt
UPDATE job SET
    state = 'waiting', attempts = attempts - :uncounted, not_before_ms = :not_before_ms,
    failure = :failure, leased_until_ms = NULL
WHERE id = :id;

-- fail: give a job up
UPDATE job SET state = 'failed', failure = :failure, leased_until_ms = NULL, finished_at_ms = :at_ms
WHERE id = :id;

-- progress: say how far a job is
UPDATE job SET progress = :progress WHERE id = :id;

-- cancel: give up what waits or is being worked at, of a kind or one job
UPDATE job SET state = 'cancelled', leased_until_ms = NULL, finished_at_ms = :at_ms
WHERE state IN ('waiting', 'leased') AND kind IN (SELECT value FROM json_each(:kinds))
  AND (:id IS NULL OR id = :id);

-- retry: take up again what failed for good
UPDATE job SET state = 'waiting', attempts = 0, not_before_ms = 0, finished_at_ms = NULL
WHERE state = 'failed' AND (:id IS NULL OR id = :id);

-- counts: how many jobs of some kinds there are in each state
SELECT kind, state, count(*) AS count FROM job
WHERE kind IN (SELECT value FROM json_each(:kinds))
GROUP BY kind, state ORDER BY kind, state;

-- failed: the jobs that failed for good, the latest first
SELECT id, kind, subject, attempts, failure, finished_at_ms FROM job
WHERE state = 'failed' ORDER BY finished_at_ms DESC LIMIT :most;

-- at_work: the jobs that are worked at, and those that are done bit by bit
SELECT id, kind, subject, state, attempts, progress FROM job
WHERE kind IN (SELECT value FROM json_each(:kinds))
  AND (state = 'leased' OR (state = 'waiting' AND progress IS NOT NULL))
ORDER BY priority, id;

-- live: whether something of a kind waits or is worked at
SELECT 1 FROM job WHERE kind = :kind AND state IN ('waiting', 'leased') LIMIT 1;
