-- What a database held that step 1 made: rows in every table, every column used by one of them.

INSERT INTO project (id, identity, name, seen_root, created_at_ms, seen_at_ms) VALUES
    (1, 'path:/nowhere/shop', 'shop', '/nowhere/shop', 1000, 2000),
    (2, 'remote:example.com/acme/notes', 'notes', '/nowhere/notes', 1000, 2000);

INSERT INTO category (id, project_id, parent_id, name, created_at_ms, trashed_at_ms) VALUES
    (1, 1, NULL, 'operations', 1000, NULL),
    (2, 1, 1, 'deploys', 1000, NULL),
    (3, NULL, NULL, 'old ways', 1000, 1500);

INSERT INTO memory (
    number, id, project_id, category_id, kind, content, content_hash, tags, importance, tier,
    held_back_because, suspect, source, source_ref, idempotency_key, actor, device, state_key,
    true_from_ms, true_until_ms, learned_at_ms, expires_at_ms, session_id, commit_hash, branch,
    working_dir, revision, changed_at_ms, confirmed_at_ms, confirmed_commit, trashed_at_ms
) VALUES
    (1, '0191aaaa-0000-7000-8000-000000000001', 1, 2, 'decision', 'The retry helper in billing/retry.py keeps one idempotency key for all attempts.',
     'd6d9b3ed2294349c214f3c0e7f22540ae3ca7eb7b49c8b5c06a95182f49dc8c8', '["billing"]', 8, 'admitted',
     NULL, 0, 'user-told', 'notes.md', 'key-1', 'claude', 'desk', NULL,
     900, NULL, 1000, NULL, 's-old', 'c0ffee', 'main',
     '/nowhere/shop', 2, 1100, 1200, 'c0ffee', NULL),
    (2, '0191aaaa-0000-7000-8000-000000000002', 1, 1, 'fact', 'Deploys go to port 8443.',
     'c80b6bd22f60a52bf7508e0dc0c6280776ba3a61b650de52f9b024f9e018d4fe', '[]', 5, 'admitted',
     NULL, 0, 'agent', NULL, NULL, 'claude', 'desk', 'deploy.port',
     NULL, NULL, 1300, 99999999999999, 's-old', NULL, NULL,
     NULL, 1, 1300, NULL, NULL, NULL),
    (3, '0191aaaa-0000-7000-8000-000000000003', 1, 1, 'fact', 'Deploys went to port 8080.',
     'f8a670c88cd55f2778141f36ac6781e9e749020da41264b9a8de344e625ca072', '[]', 5, 'admitted',
     NULL, 0, 'agent', NULL, NULL, 'claude', 'desk', 'deploy.port',
     NULL, 1300, 1050, NULL, NULL, NULL, NULL,
     NULL, 1, 1050, NULL, NULL, NULL),
    (4, '0191aaaa-0000-7000-8000-000000000004', NULL, NULL, 'preference', 'Prefer uv over pip.',
     '87e49f3b956f8abd6594d89c53edfe138c0fc18d47cba90c62b10f94a3d43daa', '[]', 5, 'admitted',
     NULL, 0, 'user-told', NULL, NULL, 'cli', 'desk', NULL,
     NULL, NULL, 1000, NULL, NULL, NULL, NULL,
     NULL, 1, 1000, NULL, NULL, NULL),
    (5, '0191aaaa-0000-7000-8000-000000000005', 2, NULL, 'note', 'A thing that was thrown away.',
     'a71abbe5d36fae8eac08e08e5a3cafd3b7db36f164eeb68f9fb7bcbe5ae2547f', '[]', 5, 'admitted',
     NULL, 1, 'external', NULL, NULL, 'cli', 'desk', NULL,
     NULL, NULL, 1000, NULL, NULL, NULL, NULL,
     NULL, 2, 1400, NULL, NULL, 1400),
    (6, '0191aaaa-0000-7000-8000-000000000006', 2, NULL, 'note', 'Tests run with two workers.',
     'c58fbd1e6abe1bc11aa7d4edebd99adca765668731f699b58344e0a217e1b414', '[]', 5, 'candidate',
     'nobody confirmed it', 0, 'transcript', NULL, NULL, 'hook', 'desk', NULL,
     NULL, NULL, 1000, NULL, 's-old', NULL, NULL,
     NULL, 1, 1000, NULL, NULL, NULL);

INSERT INTO revision (memory_number, revision, change, actor, changed_at_ms, content, state) VALUES
    (1, 1, 'create', 'claude', 1000, 'The retry helper keeps a key.',
     '{"category_id": null, "files": [], "importance": 5, "kind": "note", "state_key": null, "suspect": false, "tags": "[]", "trashed_at_ms": null}'),
    (1, 2, 'edit', 'claude', 1100, 'The retry helper in billing/retry.py keeps one idempotency key for all attempts.',
     '{"category_id": 2, "files": [], "importance": 8, "kind": "decision", "state_key": null, "suspect": false, "tags": "[\"billing\"]", "trashed_at_ms": null}'),
    (2, 1, 'create', 'claude', 1300, 'Deploys go to port 8443.',
     '{"category_id": 1, "files": [], "importance": 5, "kind": "fact", "state_key": "deploy.port", "suspect": false, "tags": "[]", "trashed_at_ms": null}'),
    (3, 1, 'create', 'claude', 1050, 'Deploys went to port 8080.',
     '{"category_id": 1, "files": [], "importance": 5, "kind": "fact", "state_key": "deploy.port", "suspect": false, "tags": "[]", "trashed_at_ms": null}'),
    (4, 1, 'create', 'cli', 1000, 'Prefer uv over pip.',
     '{"category_id": null, "files": [], "importance": 5, "kind": "preference", "state_key": null, "suspect": false, "tags": "[]", "trashed_at_ms": null}'),
    (5, 1, 'create', 'cli', 1000, 'A thing that was thrown away.',
     '{"category_id": null, "files": [], "importance": 5, "kind": "note", "state_key": null, "suspect": false, "tags": "[]", "trashed_at_ms": null}'),
    (5, 2, 'forget', 'cli', 1400, 'A thing that was thrown away.',
     '{"category_id": null, "files": [], "importance": 5, "kind": "note", "state_key": null, "suspect": false, "tags": "[]", "trashed_at_ms": 1400}'),
    (6, 1, 'create', 'hook', 1000, 'Tests run with two workers.',
     '{"category_id": null, "files": [], "importance": 5, "kind": "note", "state_key": null, "suspect": false, "tags": "[]", "trashed_at_ms": null}');

INSERT INTO anchor (id, memory_number, path, commit_hash, file_hash, verified_at_ms) VALUES
    (1, 1, 'billing/retry.py', 'c0ffee', 'aa', 1000),
    (2, 2, 'deploy.yaml', NULL, NULL, 1300);

INSERT INTO part (anchor_id, kind, name, region_hash) VALUES
    (1, 'symbol', 'charge', 'bb'),
    (1, 'line', 'idempotency key', NULL);

INSERT INTO passage (id, memory_number, position, start_char, end_char) VALUES
    (1, 1, 0, 0, 80), (2, 2, 0, 0, 24), (3, 3, 0, 0, 26),
    (4, 4, 0, 0, 19), (6, 6, 0, 0, 27);

INSERT INTO embedding (passage_id, model, dimension, vector) VALUES
    (1, 'tiny', 4, X'0000003F0000003F0000003F0000003F'), (2, 'tiny', 4, X'0000803F000000000000000000000000');

INSERT INTO relation (
    id, kind, newer_number, older_number, said_by, probability, reason, created_at_ms,
    decided_at_ms, undone_at_ms, undone_by
) VALUES
    (1, 'supersedes', 2, 3, 'agent', NULL, 'the port moved', 1300, NULL, NULL, NULL),
    (2, 'possible_conflict', 2, 1, 'rule', 0.5, '8443 or not', 1300, 1350, 1360, 'cli');

INSERT INTO session (
    id, client, project_id, working_dir, parent_session_id, started_at_ms, seen_at_ms, ended_at_ms,
    end_reason, generation, paused
) VALUES
    ('s-old', 'claude-code', 1, '/nowhere/shop', 's-parent', 1000, 1900, 1900, 'other', 2, 0);

INSERT INTO turn (id, session_id, prompt_id, prompt, reply, started_at_ms, ended_at_ms) VALUES
    (1, 's-old', 'p1', 'Which port is it?', 'It is 8443.', 1000, 1010);

INSERT INTO event (
    id, session_id, name, body_hash, occurred_at_ms, received_at_ms, spooled, tool_name, detail
) VALUES
    (1, 's-old', 'UserPromptSubmit', 'b1', 1000, 1001, 0, NULL, '{"prompt_id": "p1"}'),
    (2, 's-old', 'PostToolUse', 'b2', 1002, 1003, 1, 'Edit', '{"file": "billing/retry.py"}');

INSERT INTO support (memory_number, event_id, sentence, polarity, trust) VALUES
    (6, 1, 'Tests run with two workers.', 'affirms', 'user');

INSERT INTO verdict (
    id, memory_number, revision, surface, answer, probability, basis_hash, judged_at_ms
) VALUES
    (1, 1, 2, 'standing', 'holds', 0.9, 'bh', 1500);

INSERT INTO job (
    id, kind, subject, payload, priority, state, attempts, not_before_ms, leased_until_ms, progress,
    failure, created_at_ms, finished_at_ms
) VALUES
    (1, 'verify', '1', '{"a": 1}', 10, 'failed', 3, 5, 6, 'half', 'no answer', 1000, 1200);

INSERT INTO injection (
    id, session_id, generation, admission, channel, query, memory_number, revision, outcome, reason,
    standing, scores, tokens, decided_at_ms
) VALUES
    (1, 's-old', 1, 'a1', 'prompt', 'which port', 2, 1, 'injected', 'above the floor',
     'current', '{"fusion": 0.9}', 12, 1005),
    (2, 's-old', 1, 'a1', 'prompt', 'which port', 3, 1, 'dropped', 'superseded',
     NULL, '{}', NULL, 1005);

INSERT INTO obligation (
    id, session_id, generation, kind, subject, detail, raised_at_ms, blocks, cleared_at_ms,
    cleared_by
) VALUES
    (1, 's-old', 1, 'notice', '0191aaaa-0000-7000-8000-000000000002', '{"standing": "changed"}',
     1006, 1, 1007, 'told');

INSERT INTO judgment_log (
    id, asked_at_ms, surface, riders, origin, session_id, project_id, model, latency_ms,
    input_tokens, output_tokens, cost_usd, preview, answers, unavailable_reason, outcome
) VALUES
    (1, 1500, 'standing', '["urgency"]', 'job', 's-old', 1, 'judge-1', 12.5, 10, 2, 0.001, 'does it',
     '{"holds": 0.9}', 'timeout', 'kept');

INSERT INTO config (id, document, changed_at_ms) VALUES (1, '{"prompt_memories": 2}', 1700);

INSERT INTO counter (name, value) VALUES ('lost_writes', 3);

INSERT INTO derived_index (name, recipe, built_at_ms) VALUES ('fulltext', 'an old recipe', 1000);
