-- note_transcript: note a transcript that a hook named; one that was purged is sought again
INSERT INTO transcript (path_hash, path, session_id, since_ms, seen_at_ms)
VALUES (:path_hash, :path, :session_id, :since_ms, :at_ms)
ON CONFLICT (path_hash) DO UPDATE SET
    path = excluded.path, session_id = excluded.session_id, seen_at_ms = excluded.seen_at_ms
RETURNING *;

-- transcripts: those that are sought
SELECT * FROM transcript WHERE path IS NOT NULL ORDER BY seen_at_ms DESC;

-- open_piece: the piece that reading ended in, or the last one before
SELECT message_id, sequence, from_offset, text FROM chunk
WHERE transcript_id = :id AND from_offset <= :offset
ORDER BY from_offset DESC, sequence DESC LIMIT 1;

-- note_read: note how far a transcript is read
UPDATE transcript SET read_offset = :offset, head = :head, seen_at_ms = :at_ms WHERE id = :id;

-- note_found: note until where findings were looked for
UPDATE transcript SET found_offset = :offset WHERE id = :id;

-- note_looked_for: note that findings were looked for until where a transcript is read, if nobody had
UPDATE transcript SET found_offset = read_offset WHERE path_hash = :path_hash AND found_offset = 0;

-- unheard: transcripts of sessions that no hook told of
SELECT t.id FROM transcript AS t
WHERE t.path IS NOT NULL AND NOT EXISTS (SELECT 1 FROM event AS e
                  WHERE e.session_id = t.session_id AND e.name <> 'History');

-- drop_transcript: forget a transcript
DELETE FROM transcript WHERE id = :id AND since_ms = 0;

-- begin_anew: another file has a transcript's name
UPDATE transcript SET read_offset = 0, found_offset = 0, head = '' WHERE id = :id;

-- put: keep a piece, or what it has become; what another transcript holds already stays there
INSERT INTO chunk (
    transcript_id, session_id, project_id, message_id, sequence, from_offset, to_offset,
    started_at_ms, ended_at_ms, working_dir, branch, text, files
) VALUES (
    :transcript_id, :session_id, :project_id, :message_id, :sequence, :from_offset, :to_offset,
    :started_at_ms, :ended_at_ms, :working_dir, :branch, :text, :files
)
ON CONFLICT (message_id, sequence) DO UPDATE SET
    to_offset = excluded.to_offset, ended_at_ms = excluded.ended_at_ms, text = excluded.text,
    files = excluded.files, from_offset = excluded.from_offset
WHERE chunk.transcript_id = excluded.transcript_id
    AND (chunk.text <> excluded.text OR chunk.to_offset <> excluded.to_offset)
RETURNING id;

-- drop_vector: what reads otherwise now needs another vector
DELETE FROM chunk_vector WHERE chunk_id = :id;

-- indexed: what the word index takes from a piece
SELECT id, project_id, text, files, branch, started_at_ms FROM chunk WHERE id = :id;

-- every: all pieces
SELECT id FROM chunk ORDER BY id;

-- put_words: index the words of a piece
INSERT OR REPLACE INTO chunk_words (rowid, scope, body, context)
VALUES (:id, :scope, :body, :context);

-- drop_words: take a piece out of the word index
DELETE FROM chunk_words WHERE rowid = :id;

-- drop: forget a piece
DELETE FROM chunk WHERE id = :id;

-- of_transcript: the pieces of a transcript
SELECT id FROM chunk WHERE transcript_id = :id;

-- outdated: pieces that are too old, or too many for their session or their project
SELECT id FROM (
    SELECT id, started_at_ms,
        row_number() OVER (PARTITION BY session_id ORDER BY started_at_ms DESC, id DESC) AS of_session,
        row_number() OVER (PARTITION BY project_id ORDER BY started_at_ms DESC, id DESC) AS of_project
    FROM chunk
)
WHERE started_at_ms < :before_ms OR of_session > :most_of_session OR of_project > :most_of_project
LIMIT :most;

-- words: the pieces of some projects that hold some of the words, best first (BM25 is negative)
SELECT rowid AS id, -bm25(chunk_words, 0.0, 1.0, 0.5) AS score FROM chunk_words
WHERE chunk_words MATCH :match ORDER BY score DESC LIMIT :most;

-- vectors: the vectors of a project's pieces
SELECT v.chunk_id AS id, v.vector FROM chunk AS c JOIN chunk_vector AS v ON v.chunk_id = c.id
WHERE c.project_id = :project AND v.model = :model;

-- waiting: pieces without a vector of a model, the newest first
SELECT c.id, c.text FROM chunk AS c
WHERE NOT EXISTS (SELECT 1 FROM chunk_vector AS v WHERE v.chunk_id = c.id AND v.model = :model)
ORDER BY c.started_at_ms DESC, c.id DESC LIMIT :most;

-- text_of: a piece as it reads now
SELECT text FROM chunk WHERE id = :id;

-- put_vector: keep a piece's vector
INSERT OR REPLACE INTO chunk_vector (chunk_id, model, vector) VALUES (:id, :model, :vector);

-- sessions: the sessions of a project by what they said last, without one of them, within a time
SELECT session_id, min(started_at_ms) AS began_at_ms, max(ended_at_ms) AS ended_at_ms
FROM chunk
WHERE project_id = :project AND session_id <> :without
    AND ended_at_ms >= :from_ms AND started_at_ms < :to_ms
GROUP BY session_id ORDER BY ended_at_ms DESC LIMIT :most;

-- shown: what is shown of some pieces, within a project and a time, without one session
SELECT * FROM chunk
WHERE id IN (SELECT value FROM json_each(:ids)) AND project_id = :project
    AND session_id <> :without AND ended_at_ms >= :from_ms AND started_at_ms < :to_ms;

-- of_session: the pieces of a session within a project and a time, in order
SELECT * FROM chunk
WHERE session_id = :session_id AND project_id = :project
    AND ended_at_ms >= :from_ms AND started_at_ms < :to_ms
ORDER BY started_at_ms, from_offset, sequence;

-- counts: how many pieces there are, and of how many sessions
SELECT count(*) AS pieces, count(DISTINCT session_id) AS sessions FROM chunk;

-- holding: the pieces that hold a text
SELECT id FROM chunk WHERE instr(text, :text) OR instr(files, :text)
    OR instr(coalesce(branch, ''), :text);

-- of_sessions: the pieces of some sessions
SELECT id FROM chunk WHERE session_id IN (SELECT value FROM json_each(:sessions));

-- folders: where each piece was said, and the files it names
SELECT id, working_dir, files FROM chunk;

-- close_all: what was said until now is never read again
UPDATE transcript SET since_ms = max(since_ms, :at_ms), found_offset = read_offset;

-- close_some: forget whose transcripts these are, and never read again what they hold by now
UPDATE transcript SET path = NULL, session_id = '', since_ms = max(since_ms, :at_ms),
    found_offset = read_offset
WHERE session_id IN (SELECT value FROM json_each(:sessions));
