-- tables: our own tables, those first that others refer to
SELECT name FROM pragma_table_list
WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%'
ORDER BY name NOT IN ('project', 'category', 'event', 'session'), name <> 'memory',
         name <> 'anchor', name;

-- columns: the columns of a table; a row number that is a column comes first
SELECT name FROM pragma_table_info(:table) ORDER BY pk <> 1, cid;

-- is_numbered: whether a table's rows have numbers
SELECT NOT wr FROM pragma_table_list WHERE schema = 'main' AND name = :table;

-- texts_without_memory: the newest texts of memories whose own row is not there
SELECT content FROM (
    SELECT memory_number, content, max(revision) FROM revision
    WHERE memory_number NOT IN (SELECT number FROM memory) GROUP BY memory_number)
ORDER BY memory_number;

-- lost_projects: something in the place of projects that are not there
INSERT INTO project (id, identity, name, seen_root, created_at_ms, seen_at_ms)
SELECT DISTINCT project_id, :lost || project_id, 'lost project ' || project_id,
       '/lost/' || project_id, :at_ms, :at_ms
FROM memory WHERE project_id IS NOT NULL AND project_id NOT IN (SELECT id FROM project);

-- lost_categories: no category where it is not there
UPDATE memory SET category_id = NULL WHERE category_id NOT IN (SELECT id FROM category);

-- references: to what a table refers
SELECT "from", "table", "to" FROM pragma_foreign_key_list(:table);

-- headless: memories whose newest revision is not there, or reads otherwise
SELECT m.* FROM memory AS m
LEFT JOIN revision AS r ON r.memory_number = m.number AND r.revision = m.revision
WHERE r.content IS NOT m.content;

-- put_head: the newest revision, as the memory says
INSERT OR REPLACE INTO revision (
    memory_number, revision, change, actor, changed_at_ms, content, state
) VALUES (:number, :revision, 'edit', 'salvage', :at_ms, :content, :state);
