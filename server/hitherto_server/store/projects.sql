-- by_identity: the project of that name
SELECT * FROM project WHERE identity = :identity;

-- root_commits: the projects that are named by a root commit and were seen last in these folders
SELECT identity FROM project
WHERE seen_root IN (SELECT value FROM json_each(:roots)) AND identity LIKE 'root:%'
ORDER BY seen_at_ms DESC, id DESC;

-- by_number: one project
SELECT * FROM project WHERE id = :id;

-- rename: give a project its surer name
UPDATE project SET identity = :identity, name = :name WHERE id = :id;

-- see: note where a project was seen last
UPDATE project SET seen_root = :root, seen_at_ms = :at_ms WHERE id = :id;

-- insert: a project that was never seen
INSERT INTO project (identity, name, seen_root, created_at_ms, seen_at_ms)
VALUES (:identity, :name, :root, :at_ms, :at_ms)
RETURNING id;

-- insert_category: seed a category
INSERT OR IGNORE INTO category (project_id, parent_id, name, created_at_ms)
VALUES (:project_id, NULL, :name, :at_ms);

-- listed: every project, the one that was seen last first
SELECT * FROM project ORDER BY seen_at_ms DESC, id DESC;

-- root_of: the working tree in which a project was seen last
SELECT seen_root FROM project WHERE id = :id;
