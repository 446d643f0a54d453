-- What step 5 added: what a clean-up did, how often memories were asked for, and what was judged.

INSERT INTO cleaning_action (id, list, deed, actor, done_at_ms, undone_at_ms, undone_by) VALUES
    (1, 'conflicts', 'dismiss', 'cli', 1360, NULL, NULL),
    (2, 'stale', 'dismiss', 'cli', 1370, 1380, 'ui');

INSERT INTO cleaning_step (id, action_id, what, memory_number, revision, relation_id, detail) VALUES
    (1, 1, 'dissolve', 2, 1, 2, '{"other": 1}');

INSERT INTO recalled (memory_number, times, last_at_ms) VALUES (1, 3, 1700);

INSERT INTO unstated (memory_number, field) VALUES (1, 'importance'), (1, 'kind');

INSERT INTO backfill (
    id, state, why, before_number, total, judged, cost_usd, began_at_ms, finished_at_ms
) VALUES
    (1, 'cancelled', 'by a person', 3, 7, 6, 0.002, 1500, 1600);

INSERT INTO judgment_cache (
    request_hash, model, calibrated, answers, answered_at_ms, expires_at_ms
) VALUES
    ('0123', 'judge-1', 1, '{"same": {"noul": 0.9}}', 1500, 9900000000000);

UPDATE judgment_log SET question_hash = 'abcd', cached = 0, detail = 'no answer in 2 s' WHERE id = 1;

INSERT INTO bench_run (id, surface, backend, sample, model, basis, passed, report, ran_at_ms) VALUES
    (1, 'importance-kind', 'configured', 'labelled', 'judge-1', 'judge-1 | q1:abcd', '["apply_importance"]', '{}', 1500);

INSERT INTO injection (
    session_id, generation, admission, channel, query, memory_number, revision, outcome, reason,
    standing, scores, tokens, decided_at_ms, agent
) VALUES
    ('s-old', 0, 'adm-9', 'subagent', 'a task', 1, 1, 'injected', 'words', 'current', '{}', 40, 1700, 'a1');
