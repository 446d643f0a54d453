-- all: the models that have vectors here, or are to have them
SELECT name, configured, dimension, state, since_ms FROM embedding_model ORDER BY since_ms, name;

-- put: say what a model is to the store
INSERT INTO embedding_model (name, configured, dimension, state, since_ms)
VALUES (:name, :configured, :dimension, :state, :at_ms)
ON CONFLICT (name) DO UPDATE SET
    configured = excluded.configured, state = excluded.state, since_ms = excluded.since_ms;

-- forget: a model that has no vectors here any more
DELETE FROM embedding_model WHERE name = :name AND state = 'leaving';

-- last_vector: the row of the newest vector
SELECT coalesce(max(rowid), 0) FROM embedding;

-- drop_vectors: remove the vectors of a model that leaves, among some rows
DELETE FROM embedding
WHERE rowid > :after AND rowid <= :upto AND model = :model
    AND EXISTS (SELECT 1 FROM embedding_model WHERE name = :model AND state = 'leaving');

-- count_passages: how many passages are searched
SELECT count(*) FROM passage AS p JOIN memory AS m ON m.number = p.memory_number
WHERE m.trashed_at_ms IS NULL;
