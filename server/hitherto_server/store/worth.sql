-- shown_in: what a session was shown
SELECT kind, subject, shown_at_ms, outcome FROM shown_notice WHERE session_id = :session_id
ORDER BY id LIMIT :most;

-- given: what a session was given and got, with its text as it was then
SELECT i.agent, i.generation, i.memory_number AS number, i.revision, m.id, i.standing, i.tokens,
       i.decided_at_ms AS at_ms, r.content, m.revision AS revision_now, m.confirmed_at_ms
FROM injection AS i
JOIN memory AS m ON m.number = i.memory_number
JOIN revision AS r ON r.memory_number = i.memory_number AND r.revision = i.revision
WHERE i.session_id = :session_id AND i.outcome = 'injected'
ORDER BY i.id LIMIT :most;

-- files_of: the files that some memories are tied to
SELECT a.memory_number AS number, a.path FROM json_each(:numbers) AS wanted
CROSS JOIN anchor AS a ON a.memory_number = wanted.value;

-- asked: what the person said in a session, and when
SELECT started_at_ms AS at_ms, prompt AS text FROM turn WHERE session_id = :session_id
ORDER BY id LIMIT :most;

-- done: what the session's tools did, as evidence of it is kept
SELECT at_ms, kind, subject, tail, coalesce(agent_id, '') AS agent FROM evidence
WHERE session_id = :session_id ORDER BY at_ms, id LIMIT :most;

-- said_wrong: the memories that a person said are wrong in this session
SELECT memory_number AS number, said_at_ms AS at_ms FROM feedback
WHERE session_id = :session_id AND undone_at_ms IS NULL;

-- replaced: what this session said anew, or said otherwise, of memories that are there
SELECT r.older_number AS number, r.kind, r.created_at_ms AS at_ms FROM memory AS n
CROSS JOIN relation AS r ON r.newer_number = n.number
    AND r.kind IN ('supersedes', 'possible_conflict') AND r.undone_at_ms IS NULL
WHERE n.session_id = :session_id;

-- changed: what agents did, while this session was at work, to memories that it was given
SELECT r.memory_number AS number, r.change AS kind, r.changed_at_ms AS at_ms
FROM session AS s CROSS JOIN (
    SELECT DISTINCT memory_number FROM injection
    WHERE session_id = :session_id AND outcome = 'injected') AS i
CROSS JOIN revision AS r ON r.memory_number = i.memory_number
    AND r.change IN ('edit', 'forget') AND r.actor = 'agent'
    AND r.changed_at_ms BETWEEN s.started_at_ms AND s.seen_at_ms + :slack_ms
WHERE s.id = :session_id;

-- confirmed: the memories that were confirmed while this session, which was given them, was at work
SELECT m.number, m.confirmed_at_ms AS at_ms FROM session AS s CROSS JOIN (
    SELECT DISTINCT memory_number FROM injection
    WHERE session_id = :session_id AND outcome = 'injected') AS i
CROSS JOIN memory AS m ON m.number = i.memory_number
    AND m.confirmed_at_ms BETWEEN s.started_at_ms AND s.seen_at_ms + :slack_ms
WHERE s.id = :session_id;

-- stored: when this session stored or edited a memory
SELECT at_ms, subject FROM evidence WHERE session_id = :session_id AND kind = 'memory'
ORDER BY at_ms, id LIMIT :most;

-- own_calls: when this session called a tool of ours
SELECT occurred_at_ms AS at_ms FROM event
WHERE session_id = :session_id AND tool_name LIKE 'mcp\_\_%hitherto%' ESCAPE '\'
ORDER BY id LIMIT :most;

-- planned: when a plan of this session was approved
SELECT at_ms FROM approval WHERE session_id = :session_id ORDER BY at_ms LIMIT :most;

-- cleared: what this session owed and is done with, and how
SELECT kind, subject, cleared_at_ms AS at_ms, cleared_by FROM obligation
WHERE session_id = :session_id AND cleared_at_ms IS NOT NULL
    AND kind NOT IN ('notice', 'judged-stale', 'block')
ORDER BY cleared_at_ms LIMIT :most;

-- memory_of_id: a memory by its id
SELECT number, content FROM memory WHERE id = :id;

-- judged_stale: the memories that were judged not to hold any more after this session's edits
SELECT m.number, o.raised_at_ms AS at_ms FROM obligation AS o JOIN memory AS m ON m.id = o.subject
WHERE o.session_id = :session_id AND o.kind = 'judged-stale';

-- drop_worth: what was found out about a session before
DELETE FROM memory_worth WHERE session_id = :session_id;

-- put_worth: what became of one memory that a session was given
INSERT INTO memory_worth (session_id, agent, generation, memory_number, revision, outcome, blame,
                          because, standing, tokens, given_at_ms)
SELECT :session_id, :agent, :generation, :number, :revision, :outcome, :blame,
       :because, :standing, :tokens, :at_ms
WHERE EXISTS (SELECT 1 FROM memory WHERE number = :number);

-- put_cost: what a session took, as far as is known
INSERT INTO session_worth (session_id, input_tokens, output_tokens, cache_creation_tokens,
                           cache_read_tokens, replies, silent_replies, through_event, transcript,
                           computed_at_ms)
SELECT :session_id, :input_tokens, :output_tokens, :cache_creation_tokens, :cache_read_tokens,
       :replies, :silent_replies, :through_event, :transcript, :at_ms
WHERE EXISTS (SELECT 1 FROM session WHERE id = :session_id)
ON CONFLICT (session_id) DO UPDATE SET
    input_tokens = coalesce(excluded.input_tokens, input_tokens),
    output_tokens = coalesce(excluded.output_tokens, output_tokens),
    cache_creation_tokens = coalesce(excluded.cache_creation_tokens, cache_creation_tokens),
    cache_read_tokens = coalesce(excluded.cache_read_tokens, cache_read_tokens),
    replies = coalesce(excluded.replies, replies),
    silent_replies = coalesce(excluded.silent_replies, silent_replies),
    through_event = max(through_event, excluded.through_event),
    transcript = coalesce(excluded.transcript, transcript),
    computed_at_ms = excluded.computed_at_ms;

-- last_event: the last event of a session
SELECT coalesce(max(id), 0) FROM event WHERE session_id = :session_id;

-- transcript: where a session's transcript was
SELECT transcript FROM session_worth WHERE session_id = :session_id;

-- waiting: sessions with events that were not looked at, the latest first
SELECT s.id FROM session AS s
LEFT JOIN session_worth AS w ON w.session_id = s.id
WHERE s.seen_at_ms BETWEEN :since_ms AND :until_ms
    AND coalesce(w.through_event, 0)
        < (SELECT coalesce(max(id), 0) FROM event WHERE session_id = s.id)
ORDER BY s.seen_at_ms DESC LIMIT :most;

-- cost: what a session took
SELECT * FROM session_worth WHERE session_id = :session_id;

-- outcomes: what became of what a session was given, in the order in which it was given
SELECT w.*, m.id, substr(r.content, 1, 200) AS opening FROM memory_worth AS w
JOIN memory AS m ON m.number = w.memory_number
JOIN revision AS r ON r.memory_number = w.memory_number AND r.revision = w.revision
WHERE w.session_id = :session_id ORDER BY w.given_at_ms, m.id;

-- totals: how often what was given was what, of a project or of all
SELECT w.outcome, w.blame, count(*) AS times, sum(w.tokens) AS tokens
FROM memory_worth AS w JOIN session AS s ON s.id = w.session_id
WHERE :project IS NULL OR s.project_id = :project
GROUP BY w.outcome, w.blame;

-- costs: what the sessions took that are known, of a project or of all
SELECT count(*) AS sessions, sum(w.input_tokens) AS input_tokens,
       sum(w.output_tokens) AS output_tokens,
       sum(w.cache_creation_tokens) AS cache_creation_tokens,
       sum(w.cache_read_tokens) AS cache_read_tokens,
       sum(w.replies) AS replies, sum(w.silent_replies) AS silent_replies
FROM session_worth AS w JOIN session AS s ON s.id = w.session_id
WHERE :project IS NULL OR s.project_id = :project;

-- latest: the session of a project (or of all) that was looked at last
SELECT w.session_id FROM session_worth AS w JOIN session AS s ON s.id = w.session_id
WHERE :project IS NULL OR s.project_id = :project
ORDER BY s.seen_at_ms DESC LIMIT 1;
