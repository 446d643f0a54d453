-- put_run: keep what a run of a bench showed
INSERT INTO bench_run (surface, backend, sample, model, basis, passed, report, ran_at_ms)
VALUES (:surface, :backend, :sample, :model, :basis, :passed, :report, :ran_at_ms)
RETURNING id;

-- runs: what ran lately, the newest first
SELECT id, surface, backend, sample, model, basis, passed, report, ran_at_ms FROM bench_run
WHERE :surface IS NULL OR surface = :surface
ORDER BY id DESC LIMIT :most;

-- passes: of each basis the last run with labels, which alone counts
SELECT surface, basis, passed FROM bench_run AS run
WHERE backend = 'configured' AND sample = 'labelled' AND id = (
    SELECT max(id) FROM bench_run AS other
    WHERE other.surface = run.surface AND other.basis = run.basis
      AND other.backend = 'configured' AND other.sample = 'labelled');

-- memories: live memories of a project, the newest or any
SELECT m.number, m.id, m.content, m.kind, m.importance, m.learned_at_ms, m.category_id,
    c.name AS category
FROM memory AS m LEFT JOIN category AS c ON c.id = m.category_id
WHERE m.trashed_at_ms IS NULL AND m.project_id = :project
ORDER BY CASE :sample WHEN 'random' THEN random() ELSE -m.learned_at_ms END LIMIT :most;

-- prompts: what sessions asked for, the newest or any
SELECT t.id, t.prompt FROM turn AS t JOIN session AS s ON s.id = t.session_id
WHERE s.project_id = :project AND t.prompt <> ''
ORDER BY CASE :sample WHEN 'random' THEN random() ELSE -t.started_at_ms END LIMIT :most;

-- leaves: the categories of a project that can hold memories
SELECT name FROM category AS c
WHERE project_id = :project AND trashed_at_ms IS NULL AND NOT EXISTS (
    SELECT 1 FROM category AS child WHERE child.parent_id = c.id AND child.trashed_at_ms IS NULL)
ORDER BY name LIMIT 60;
