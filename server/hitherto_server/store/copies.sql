-- tables: our own tables, without those that the indexes keep for themselves
SELECT name FROM pragma_table_list
WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name;

-- integrity: what SQLite itself finds in the whole file
SELECT integrity_check FROM pragma_integrity_check;

-- quick_check: what SQLite finds without comparing indexes with their tables
SELECT quick_check FROM pragma_quick_check;
