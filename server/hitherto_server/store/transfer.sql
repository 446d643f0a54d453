-- projects: the chosen projects
SELECT id, identity, name, seen_root, created_at_ms, seen_at_ms FROM project
WHERE :project IS NULL OR id = :project ORDER BY id;

-- categories: every category, so that one can be named by its way from the top
SELECT c.id, c.parent_id, c.name, c.created_at_ms, c.trashed_at_ms, c.project_id,
       p.identity AS project
FROM category AS c LEFT JOIN project AS p ON p.id = c.project_id ORDER BY c.id;

-- sessions: what the chosen memories were learned in, were supported by and were said to be wrong in
WITH chosen AS (
    SELECT number, session_id FROM memory
    WHERE (:project IS NULL OR project_id = :project) AND (:trashed OR trashed_at_ms IS NULL))
SELECT s.id, s.client, p.identity AS project, s.working_dir, s.parent_session_id, s.started_at_ms,
       s.seen_at_ms, s.ended_at_ms, s.end_reason, s.generation, s.paused
FROM session AS s LEFT JOIN project AS p ON p.id = s.project_id
WHERE s.id IN (
    SELECT session_id FROM chosen WHERE session_id IS NOT NULL
    UNION SELECT f.session_id FROM feedback AS f JOIN chosen AS c ON c.number = f.memory_number
    UNION SELECT e.session_id FROM support AS t
        JOIN chosen AS c ON c.number = t.memory_number JOIN event AS e ON e.id = t.event_id)
ORDER BY s.started_at_ms, s.id;

-- turns: what was asked in a session
SELECT prompt_id, prompt, reply, started_at_ms, ended_at_ms FROM turn
WHERE session_id = :id ORDER BY id;

-- events: what supports the chosen memories
SELECT e.id AS key, e.session_id, e.name, e.body_hash, e.occurred_at_ms, e.received_at_ms,
       e.spooled, e.tool_name, e.detail
FROM event AS e WHERE e.id IN (
    SELECT t.event_id FROM support AS t JOIN memory AS m ON m.number = t.memory_number
    WHERE (:project IS NULL OR m.project_id = :project) AND (:trashed OR m.trashed_at_ms IS NULL))
ORDER BY e.id;

-- memories: the chosen memories
SELECT m.number, m.id, p.identity AS project, m.category_id, m.kind, m.content, m.tags,
       m.importance, m.tier, m.held_back_because, m.suspect, m.source, m.source_ref,
       m.idempotency_key, m.actor, m.device, m.state_key, m.true_from_ms, m.true_until_ms,
       m.learned_at_ms, m.expires_at_ms, m.session_id, m.commit_hash, m.branch, m.working_dir,
       m.revision, m.changed_at_ms, m.confirmed_at_ms, m.confirmed_commit, m.trashed_at_ms
FROM memory AS m LEFT JOIN project AS p ON p.id = m.project_id
WHERE (:project IS NULL OR m.project_id = :project) AND (:trashed OR m.trashed_at_ms IS NULL)
ORDER BY m.number;

-- left_out: how many memories in the trash were not chosen
SELECT count(*) FROM memory
WHERE (:project IS NULL OR project_id = :project) AND trashed_at_ms IS NOT NULL AND NOT :trashed;

-- revisions: every state that a memory had
SELECT revision, change, actor, changed_at_ms, content, state FROM revision
WHERE memory_number = :number ORDER BY revision;

-- anchors: the files that a memory is tied to
SELECT id, path, commit_hash, file_hash, verified_at_ms FROM anchor
WHERE memory_number = :number ORDER BY path;

-- parts: what a memory names inside a file
SELECT kind, name, region_hash FROM part WHERE anchor_id = :id ORDER BY kind, name;

-- supports: what shows that a memory was said
SELECT event_id AS event, sentence, polarity, trust FROM support
WHERE memory_number = :number ORDER BY event_id, sentence;

-- verdicts: what judgments said of a memory
SELECT revision, surface, answer, probability, basis_hash, judged_at_ms FROM verdict
WHERE memory_number = :number ORDER BY id;

-- uses: which sessions used a candidate
SELECT session_id, used_at_ms FROM candidate_use
WHERE memory_number = :number ORDER BY session_id;

-- merge_conflicts: where two histories of a memory met and differed
SELECT kept_revision, other_revision, found_at_ms FROM merge_conflict
WHERE memory_number = :number ORDER BY other_revision;

-- relations: what the chosen memories are to each other
WITH chosen AS (
    SELECT number, id FROM memory
    WHERE (:project IS NULL OR project_id = :project) AND (:trashed OR trashed_at_ms IS NULL))
SELECT r.kind, n.id AS newer, o.id AS older, r.said_by, r.probability, r.reason, r.slot,
       r.created_at_ms, r.decided_at_ms, r.undone_at_ms, r.undone_by
FROM relation AS r JOIN chosen AS n ON n.number = r.newer_number
JOIN chosen AS o ON o.number = r.older_number ORDER BY r.id;

-- feedback: what was said of the chosen memories
SELECT f.session_id, f.admission, m.id AS memory, f.revision, f.reason, f.said_by, f.said_at_ms,
       f.undone_at_ms
FROM feedback AS f JOIN memory AS m ON m.number = f.memory_number
WHERE (:project IS NULL OR m.project_id = :project) AND (:trashed OR m.trashed_at_ms IS NULL)
ORDER BY f.id;

-- quiet: what is left alone; no matter of one project
SELECT kind, session_id, path, began_at_ms, until_ms, ended_at_ms FROM quiet
WHERE :project IS NULL ORDER BY id;

-- all_projects: every project with its number, the one that was seen last first
SELECT id, identity, name, seen_root FROM project ORDER BY seen_at_ms DESC, id DESC;

-- put_project: a project that is not here
INSERT INTO project (identity, name, seen_root, created_at_ms, seen_at_ms)
VALUES (:identity, :name, :seen_root, :created_at_ms, :seen_at_ms) RETURNING id;

-- category_at: the category of that name in a container, or at the top
SELECT id FROM category WHERE coalesce(project_id, 0) = :project
  AND coalesce(parent_id, 0) = :parent AND name = :name;

-- put_category: a category that is not here
INSERT INTO category (project_id, parent_id, name, created_at_ms, trashed_at_ms)
VALUES (nullif(:project, 0), nullif(:parent, 0), :name, :created_at_ms, :trashed_at_ms)
RETURNING id;

-- put_session: a session; of one that is known the later end counts
INSERT INTO session (
    id, client, project_id, working_dir, parent_session_id, started_at_ms, seen_at_ms, ended_at_ms,
    end_reason, generation, paused
) VALUES (
    :id, :client, :project_id, :working_dir, :parent_session_id, :started_at_ms, :seen_at_ms,
    :ended_at_ms, :end_reason, :generation, :paused
) ON CONFLICT (id) DO UPDATE SET
    started_at_ms = min(started_at_ms, excluded.started_at_ms),
    seen_at_ms = max(seen_at_ms, excluded.seen_at_ms),
    ended_at_ms = coalesce(max(ended_at_ms, excluded.ended_at_ms), ended_at_ms, excluded.ended_at_ms),
    generation = max(generation, excluded.generation);

-- put_turn: what was asked, unless it is known
INSERT OR IGNORE INTO turn (session_id, prompt_id, prompt, reply, started_at_ms, ended_at_ms)
VALUES (:session_id, :prompt_id, :prompt, :reply, :started_at_ms, :ended_at_ms);

-- same_event: the event, if it is known
SELECT id FROM event WHERE session_id = :session_id AND name = :name AND body_hash = :body_hash
  AND occurred_at_ms = :occurred_at_ms;

-- put_event: an event that is not known
INSERT INTO event (
    session_id, name, body_hash, occurred_at_ms, received_at_ms, spooled, tool_name, detail
) VALUES (
    :session_id, :name, :body_hash, :occurred_at_ms, :received_at_ms, :spooled, :tool_name, :detail
) RETURNING id;

-- by_id: one memory by its public id
SELECT * FROM memory WHERE id = :id;

-- live_by_hash: the live memory of a scope that says the very same
SELECT * FROM memory WHERE coalesce(project_id, 0) = :project AND content_hash = :content_hash
  AND trashed_at_ms IS NULL AND id <> :id;

-- key_taken: whether another memory of a scope has that idempotency key
SELECT 1 FROM memory WHERE coalesce(project_id, 0) = :project
  AND idempotency_key = :idempotency_key AND id <> :id;

-- rivals: the other current memories of a state key
SELECT m.number, m.id, m.learned_at_ms FROM memory AS m
WHERE coalesce(m.project_id, 0) = :project AND m.state_key = :state_key
  AND m.trashed_at_ms IS NULL AND m.number <> :number
  AND NOT EXISTS (SELECT 1 FROM relation AS r WHERE r.older_number = m.number
                  AND r.kind = 'supersedes' AND r.undone_at_ms IS NULL);

-- put_memory: a memory as it was elsewhere
INSERT INTO memory (
    id, project_id, category_id, kind, content, content_hash, tags, importance, tier,
    held_back_because, suspect, source, source_ref, idempotency_key, actor, device, state_key,
    true_from_ms, true_until_ms, learned_at_ms, expires_at_ms, session_id, commit_hash, branch,
    working_dir, revision, changed_at_ms, confirmed_at_ms, confirmed_commit, trashed_at_ms
) VALUES (
    :id, :project_id, :category_id, :kind, :content, :content_hash, :tags, :importance, :tier,
    :held_back_because, :suspect, :source, :source_ref, :idempotency_key, :actor, :device,
    :state_key, :true_from_ms, :true_until_ms, :learned_at_ms, :expires_at_ms, :session_id,
    :commit_hash, :branch, :working_dir, :revision, :changed_at_ms, :confirmed_at_ms,
    :confirmed_commit, :trashed_at_ms
) RETURNING number;

-- set_state: give a memory the state of its newest revision
UPDATE memory SET
    category_id = :category_id, kind = :kind, content = :content, content_hash = :content_hash,
    tags = :tags, importance = :importance, suspect = :suspect, state_key = :state_key,
    trashed_at_ms = :trashed_at_ms, revision = :revision, changed_at_ms = :changed_at_ms
WHERE number = :number;

-- set_beside: what no revision keeps, where the other side knows it from a later time
UPDATE memory SET
    confirmed_commit = iif(coalesce(:confirmed_at_ms, 0) > coalesce(confirmed_at_ms, 0),
                           :confirmed_commit, confirmed_commit),
    confirmed_at_ms = nullif(max(coalesce(confirmed_at_ms, 0), coalesce(:confirmed_at_ms, 0)), 0),
    held_back_because = iif(tier = 'admitted' OR :tier = 'admitted', NULL, held_back_because),
    tier = iif(:tier = 'admitted', 'admitted', tier)
WHERE number = :number;

-- put_revision: one state that a memory had
INSERT INTO revision (memory_number, revision, change, actor, changed_at_ms, content, state)
VALUES (:number, :revision, :change, :actor, :changed_at_ms, :content, :state);

-- drop_anchors: forget what ties a memory to files
DELETE FROM anchor WHERE memory_number = :number;

-- put_anchor: tie a memory to a file
INSERT INTO anchor (memory_number, path, commit_hash, file_hash, verified_at_ms)
VALUES (:number, :path, :commit_hash, :file_hash, :verified_at_ms) RETURNING id;

-- put_part: what a memory names inside a file
INSERT OR IGNORE INTO part (anchor_id, kind, name, region_hash)
VALUES (:anchor_id, :kind, :name, :region_hash);

-- put_support: what shows that a memory was said
INSERT OR IGNORE INTO support (memory_number, event_id, sentence, polarity, trust)
VALUES (:number, :event_id, :sentence, :polarity, :trust);

-- put_verdict: what a judgment said, unless it is known
INSERT INTO verdict (
    memory_number, revision, surface, answer, probability, basis_hash, judged_at_ms
) SELECT :number, :revision, :surface, :answer, :probability, :basis_hash, :judged_at_ms
WHERE NOT EXISTS (SELECT 1 FROM verdict WHERE memory_number = :number AND surface = :surface
                  AND judged_at_ms = :judged_at_ms AND basis_hash = :basis_hash);

-- put_use: a session that used a candidate
INSERT OR IGNORE INTO candidate_use (memory_number, session_id, used_at_ms)
VALUES (:number, :session_id, :used_at_ms);

-- put_merge_conflict: where two histories of a memory met and differed
INSERT OR REPLACE INTO merge_conflict (memory_number, kept_revision, other_revision, found_at_ms)
VALUES (:number, :kept_revision, :other_revision, :found_at_ms);

-- same_relations: what was said of two memories in that order and that sense, taken back or not
SELECT id, created_at_ms, undone_at_ms, undone_by FROM relation
WHERE kind = :kind AND newer_number = :newer_number AND older_number = :older_number;

-- put_relation: what a newer memory is to an older one
INSERT INTO relation (
    kind, newer_number, older_number, said_by, probability, reason, slot, created_at_ms,
    decided_at_ms, undone_at_ms, undone_by
) VALUES (
    :kind, :newer_number, :older_number, :said_by, :probability, :reason, :slot, :created_at_ms,
    :decided_at_ms, :undone_at_ms, :undone_by
);

-- undo_relation: take back what the other side took back
UPDATE relation SET undone_at_ms = :undone_at_ms, undone_by = :undone_by WHERE id = :id;

-- same_feedback: whether that word is known
SELECT id, undone_at_ms FROM feedback
WHERE session_id = :session_id AND memory_number = :number
  AND (said_at_ms = :said_at_ms OR (undone_at_ms IS NULL AND :undone_at_ms IS NULL));

-- put_feedback: a word of a person
INSERT INTO feedback (
    session_id, admission, memory_number, revision, reason, said_by, said_at_ms, undone_at_ms
) VALUES (
    :session_id, :admission, :number, :revision, :reason, :said_by, :said_at_ms, :undone_at_ms
);

-- put_quiet: what is left alone, unless it is known
INSERT INTO quiet (kind, session_id, path, began_at_ms, until_ms, ended_at_ms)
SELECT :kind, :session_id, :path, :began_at_ms, :until_ms, :ended_at_ms
WHERE NOT EXISTS (
    SELECT 1 FROM quiet WHERE kind = :kind AND session_id IS :session_id AND path IS :path
      AND began_at_ms = :began_at_ms);

-- unsettled: memories that were changed on both sides and that nobody has looked at since
SELECT m.id FROM merge_conflict AS c JOIN memory AS m ON m.number = c.memory_number
WHERE m.revision = c.kept_revision AND m.trashed_at_ms IS NULL
  AND coalesce(m.confirmed_at_ms, 0) < c.found_at_ms
ORDER BY c.found_at_ms, m.number;

-- trashed_at: when a memory was put into the trash
SELECT trashed_at_ms FROM memory WHERE number = :number;
