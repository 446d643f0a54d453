-- table_named: whether there is a table of that name
SELECT name FROM sqlite_schema WHERE type = 'table' AND name = :name;

-- declared: the table as the extension knows it
SELECT name FROM sqlite_schema
WHERE type = 'table' AND name = 'vector' AND sql LIKE 'CREATE VIRTUAL TABLE vector USING vec0%';
