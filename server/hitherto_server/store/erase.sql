-- tables: our own tables, without the derived indexes and what holds words of ours alone
SELECT name FROM pragma_table_list
WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'vector%'
  AND name NOT IN (
      'config', 'counter', 'derived_index', 'embedding', 'embedding_model', 'migration')
ORDER BY name;

-- text_columns: the columns of a table that hold text, but those that can hold words of ours alone
SELECT c.name FROM pragma_table_info(:table) AS c JOIN sqlite_schema AS t ON t.name = :table
WHERE c.type = 'TEXT' AND NOT instr(t.sql, 'CHECK (' || c.name || ' IN (')
  AND NOT (:table = 'revision' AND c.name = 'state')
ORDER BY c.cid;

-- replace_in_states: put something else for a text in what a memory's history keeps beside its text
UPDATE revision SET state = json_replace(
    state,
    '$.tags', replace(json_extract(state, '$.tags'), :text, :erased),
    '$.state_key', replace(json_extract(state, '$.state_key'), :text, :erased),
    '$.files', json(replace(json_extract(state, '$.files'), :text, :erased)))
WHERE instr(json_extract(state, '$.tags'), :text)
   OR instr(coalesce(json_extract(state, '$.state_key'), ''), :text)
   OR instr(coalesce(json_extract(state, '$.files'), ''), :text);

-- table_named: whether there is a table of that name
SELECT name FROM sqlite_schema WHERE name = :name;

-- texts_of: every text that a memory had
SELECT DISTINCT content FROM revision WHERE memory_number = :number
UNION SELECT content FROM memory WHERE number = :number;

-- numbers_with: the memories that hold a text, now or once
SELECT number FROM memory
WHERE instr(content, :text) OR instr(tags, :text) OR instr(coalesce(source_ref, ''), :text)
   OR instr(coalesce(idempotency_key, ''), :text) OR instr(coalesce(state_key, ''), :text)
   OR instr(coalesce(working_dir, ''), :text) OR instr(coalesce(branch, ''), :text)
   OR instr(actor, :text)
UNION
SELECT m.number FROM memory AS m JOIN category AS c ON c.id = m.category_id
WHERE instr(c.name, :text)
UNION
SELECT memory_number FROM revision
WHERE instr(content, :text) OR instr(json_extract(state, '$.tags'), :text)
   OR instr(coalesce(json_extract(state, '$.state_key'), ''), :text)
   OR instr(coalesce(json_extract(state, '$.files'), ''), :text)
UNION
SELECT a.memory_number FROM anchor AS a LEFT JOIN part AS p ON p.anchor_id = a.id
WHERE instr(a.path, :text) OR instr(coalesce(p.name, ''), :text);

-- sessions_that_asked: the sessions with a prompt that holds a text
SELECT DISTINCT session_id FROM turn WHERE instr(prompt, :text);

-- ids_of: the ids of some memories
SELECT id FROM memory WHERE number IN (SELECT value FROM json_each(:numbers)) ORDER BY number;

-- number_of: a memory's number
SELECT number FROM memory WHERE id = :id;

-- by_number: one memory
SELECT * FROM memory WHERE number = :number;

-- set_hash: bring the hash in step with the text
UPDATE memory SET content_hash = :content_hash WHERE number = :number;

-- delete_memory: delete a memory; what hangs on it goes with it
DELETE FROM memory WHERE number = :number;
