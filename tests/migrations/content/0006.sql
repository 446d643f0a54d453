INSERT INTO evidence (
    session_id, prompt_id, agent_id, call_id, kind, subject, failed, exit_code, tail, at_ms
) VALUES
    ('s-old', 'p-1', NULL, 'toolu_1', 'command', 'make test', 1, 2, '2 failed', 1800),
    ('s-old', 'p-1', 'a1', 'toolu_2', 'edit', 'up.py', 0, NULL, '', 1801);
