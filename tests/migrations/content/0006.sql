INSERT INTO evidence (
    session_id, prompt_id, agent_id, call_id, kind, subject, failed, exit_code, tail, at_ms
) VALUES
    ('s-old', 'p-1', NULL, 'toolu_1', 'command', 'make test', 1, 2, '2 failed', 1800),
    ('s-old', 'p-1', 'a1', 'toolu_2', 'edit', 'up.py', 0, NULL, '', 1801),
    ('s-old', '', NULL, 'm-1', 'memory', 'm-1', NULL, NULL, '', 1802);
INSERT INTO shown_notice (
    kind, session_id, project_id, subject, shown_at_ms, outcome, because, settled_at_ms
) VALUES
    ('notice:changed', 's-old', 1, 'm-1', 1810, 'right', 'edited since', 1900),
    ('block:turn-worth', 's-old', NULL, 'p-1', 1811, NULL, NULL, NULL);
INSERT INTO notice_switch (kind, counted_from_ms) VALUES ('notice:changed', 1700);
INSERT INTO digest (
    session_id, generation, asked_at_ms, done_at_ms, done_by, chosen_by, items, given_at_ms, memory_id
) VALUES
    ('s-old', 0, 1820, 1830, 'start', 'judge', '[]', 1831, 'm-1'),
    ('s-old', NULL, 1840, NULL, NULL, 'rule', '[]', NULL, NULL);
INSERT INTO approval (session_id, memory_number, file, at_ms) VALUES ('s-old', 1, 'calm-fox.md', 1850);

INSERT INTO transcript (
    id, path_hash, path, session_id, head, read_offset, found_offset, since_ms, seen_at_ms
) VALUES
    (1, 'ab12', '/home/dev/.claude/projects/-up/s-old.jsonl', 's-old', '64:cd34', 900, 900, 1700, 1900);

INSERT INTO chunk (
    id, transcript_id, session_id, project_id, message_id, sequence, from_offset, to_offset,
    started_at_ms, ended_at_ms, working_dir, branch, text, files
) VALUES
    (1, 1, 's-old', 1, 'm-1', 0, 0, 900, 1800, 1900, '/up', 'main', 'Asked: mend up.py', '["up.py"]');

INSERT INTO chunk_vector (chunk_id, model, vector) VALUES (1, 'all-MiniLM-L6-v2', x'0000803f');
INSERT INTO memory_worth (
    session_id, agent, generation, memory_number, revision, outcome, blame, because, standing,
    tokens, given_at_ms
) SELECT 's-old', '', 1, min(number), 1, 'contradicted', 'false', 'said to be wrong', 'current', 40,
    1805 FROM memory;
INSERT INTO session_worth (
    session_id, input_tokens, output_tokens, cache_creation_tokens, cache_read_tokens, replies,
    silent_replies, through_event, transcript, computed_at_ms
) VALUES ('s-old', 1000, 50, 0, 20000, 3, 0, 1, '/home/dev/.claude/projects/p/s-old.jsonl', 1900);

INSERT INTO loop (
    id, session_id, project_id, task, state, reason, iteration, most_iterations, started_at_ms,
    until_ms, ended_at_ms, prompt_id, idle, asked_at_ms, is_told
) SELECT 1, 's-old', min(id), 'Mend up.py until its tests pass.', 'ended', 'done', 2, 10, 1800,
    3601800, 1950, 'p-1', 1, 1850, 1 FROM project;
INSERT INTO loop_entry (loop_id, iteration, written_by, text, at_ms)
VALUES (1, 1, 'agent', 'Two tests pass.', 1840);
