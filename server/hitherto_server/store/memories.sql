-- insert: write a new memory
INSERT INTO memory (
    id, project_id, category_id, kind, content, content_hash, tags, importance, tier,
    held_back_because, suspect, source, source_ref, idempotency_key, actor, device, state_key,
    true_from_ms, true_until_ms, learned_at_ms, expires_at_ms, session_id, commit_hash, branch,
    working_dir, changed_at_ms
) VALUES (
    :id, :project_id, :category_id, :kind, :content, :content_hash, :tags, :importance, :tier,
    :held_back_because, :suspect, :source, :source_ref, :idempotency_key, :actor, :device,
    :state_key, :true_from_ms, :true_until_ms, :at_ms, :expires_at_ms, :session_id, :commit_hash,
    :branch, :working_dir, :at_ms
) RETURNING number;

-- by_id: one memory by its public id
SELECT * FROM memory WHERE id = :id;

-- live_by_hash: the live memory of a scope that says the very same
SELECT * FROM memory
WHERE coalesce(project_id, 0) = :project AND content_hash = :content_hash
  AND trashed_at_ms IS NULL;

-- by_idempotency: the memory that was written under that key
SELECT * FROM memory
WHERE coalesce(project_id, 0) = :project AND idempotency_key = :idempotency_key;

-- live_by_state: the current memories of a state key
SELECT m.* FROM memory AS m
WHERE coalesce(m.project_id, 0) = :project AND m.state_key = :state_key
  AND m.trashed_at_ms IS NULL AND m.number <> :number
  AND NOT EXISTS (SELECT 1 FROM relation AS r WHERE r.older_number = m.number
                  AND r.kind = 'supersedes' AND r.undone_at_ms IS NULL);

-- update_state: give a memory another state; its revision is the next one, and so is its time,
-- whatever the clock says: of two edits the later one is the newer one
UPDATE memory SET
    content = :content, content_hash = :content_hash, kind = :kind, tags = :tags,
    importance = :importance, category_id = :category_id, state_key = :state_key,
    suspect = :suspect, trashed_at_ms = :trashed_at_ms, revision = revision + 1,
    changed_at_ms = max(:at_ms, changed_at_ms + 1)
WHERE number = :number;

-- confirm: note that somebody who read the code says it holds; that answers every verdict before
-- it, whatever the clock says
UPDATE memory SET
    confirmed_at_ms = max(:at_ms, coalesce(
        (SELECT max(judged_at_ms) FROM verdict WHERE memory_number = :number), 0)),
    confirmed_commit = :commit_hash
WHERE number = :number;

-- put_revision: keep the state that a memory has now
INSERT INTO revision (memory_number, revision, change, actor, changed_at_ms, content, state)
VALUES (:number, :revision, :change, :actor, :at_ms, :content, :state);

-- revision: one state that a memory had
SELECT * FROM revision WHERE memory_number = :number AND revision = :revision;

-- revisions: all states that a memory had
SELECT * FROM revision WHERE memory_number = :number ORDER BY revision;

-- drop_anchors: forget what ties a memory to files
DELETE FROM anchor WHERE memory_number = :number;

-- put_anchor: tie a memory to a file
INSERT INTO anchor (memory_number, path, commit_hash, file_hash, verified_at_ms)
VALUES (:number, :path, :commit_hash, :file_hash, :at_ms)
RETURNING id;

-- put_part: note what a memory names inside a file
INSERT OR IGNORE INTO part (anchor_id, kind, name, region_hash)
VALUES (:anchor_id, :kind, :name, :region_hash);

-- drop_passages: forget a memory's passages and their vectors
DELETE FROM passage WHERE memory_number = :number;

-- put_passage: one searched span of a memory
INSERT INTO passage (memory_number, position, start_char, end_char)
VALUES (:number, :position, :start_char, :end_char);

-- views: what the outside sees of some memories
SELECT
    m.*,
    p.name AS project_name,
    c.name AS category_name,
    (SELECT json_group_array(a.path) FROM anchor AS a
     WHERE a.memory_number = m.number) AS files,
    (SELECT n.id FROM relation AS r JOIN memory AS n ON n.number = r.newer_number
     WHERE r.older_number = m.number AND r.kind = 'supersedes' AND r.undone_at_ms IS NULL
       AND n.trashed_at_ms IS NULL
     ORDER BY r.id DESC LIMIT 1) AS superseded_by
FROM memory AS m
LEFT JOIN project AS p ON p.id = m.project_id
LEFT JOIN category AS c ON c.id = m.category_id
WHERE m.id IN (SELECT value FROM json_each(:ids));

-- listed: ids of a page of live memories, the newest first; no projects means all of them
SELECT m.id FROM (
    SELECT number, learned_at_ms FROM memory INDEXED BY memory_live
    WHERE trashed_at_ms IS NULL
      AND coalesce(project_id, 0) IN (
          SELECT value FROM json_each(:projects)
          UNION ALL SELECT id FROM project WHERE :projects IS NULL
          UNION ALL SELECT 0 WHERE :projects IS NULL)
      AND (:kind IS NULL OR kind = :kind)
    ORDER BY learned_at_ms DESC, number DESC
    LIMIT :limit OFFSET :offset
) AS page
JOIN memory AS m ON m.number = page.number
ORDER BY page.learned_at_ms DESC, page.number DESC;

-- count: how many such memories there are
SELECT count(*) FROM memory INDEXED BY memory_live
WHERE trashed_at_ms IS NULL
  AND coalesce(project_id, 0) IN (
      SELECT value FROM json_each(:projects)
      UNION ALL SELECT id FROM project WHERE :projects IS NULL
      UNION ALL SELECT 0 WHERE :projects IS NULL)
  AND (:kind IS NULL OR kind = :kind);

-- listed_trash: ids of a page of memories in the trash, the newest first
SELECT id FROM memory
WHERE trashed_at_ms IS NOT NULL
  AND (:projects IS NULL OR coalesce(project_id, 0) IN (SELECT value FROM json_each(:projects)))
  AND (:kind IS NULL OR kind = :kind)
ORDER BY learned_at_ms DESC, number DESC
LIMIT :limit OFFSET :offset;

-- count_trash: how many such memories there are
SELECT count(*) FROM memory
WHERE trashed_at_ms IS NOT NULL
  AND (:projects IS NULL OR coalesce(project_id, 0) IN (SELECT value FROM json_each(:projects)))
  AND (:kind IS NULL OR kind = :kind);

-- totals: the store in numbers; each is counted in an index, since a row brings its whole text
SELECT
    live - candidates AS admitted, candidates, trashed, user_wide, conflicts
FROM (
    SELECT
        (SELECT count(*) FROM memory INDEXED BY memory_live WHERE trashed_at_ms IS NULL) AS live,
        (SELECT count(*) FROM memory WHERE trashed_at_ms IS NULL AND tier = 'candidate')
            AS candidates,
        (SELECT count(*) FROM memory WHERE trashed_at_ms IS NOT NULL) AS trashed,
        (SELECT count(*) FROM memory INDEXED BY memory_live
         WHERE trashed_at_ms IS NULL AND coalesce(project_id, 0) = 0) AS user_wide,
        (SELECT count(*) FROM relation AS r INDEXED BY relation_live
         CROSS JOIN memory AS newer ON newer.number = r.newer_number
         CROSS JOIN memory AS older ON older.number = r.older_number
         WHERE r.kind = 'possible_conflict' AND r.undone_at_ms IS NULL
             AND r.decided_at_ms IS NULL
             AND newer.trashed_at_ms IS NULL AND older.trashed_at_ms IS NULL) AS conflicts
);

-- totals_by_kind: live memories by kind
SELECT kind, count(*) AS count FROM memory INDEXED BY memory_live
WHERE trashed_at_ms IS NULL GROUP BY kind;
