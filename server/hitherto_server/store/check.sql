-- integrity: what SQLite itself finds
SELECT integrity_check FROM pragma_integrity_check;

-- broken_references: rows that refer to a row that is not there
SELECT "table", rowid, parent, fkid FROM pragma_foreign_key_check;

-- headless: memories whose revision now is not kept, or reads otherwise
SELECT m.number, m.revision FROM memory AS m
LEFT JOIN revision AS r ON r.memory_number = m.number AND r.revision = m.revision
WHERE r.content IS NOT m.content;

-- live_numbers: every memory that the indexes should hold
SELECT number FROM memory WHERE trashed_at_ms IS NULL ORDER BY number;

-- wanted_vectors: what the vector index should hold the signs of
SELECT e.passage_id, coalesce(m.project_id, 0), e.vector
FROM embedding AS e
JOIN passage AS p ON p.id = e.passage_id
JOIN memory AS m ON m.number = p.memory_number
WHERE e.model = :model AND m.trashed_at_ms IS NULL;
