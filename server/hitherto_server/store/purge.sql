-- session_folders: where each session runs or ran
SELECT id, working_dir FROM session WHERE working_dir IS NOT NULL;

-- event_files: the events that name a file
SELECT id, json_extract(detail, '$.file') AS file FROM event
WHERE json_extract(detail, '$.file') IS NOT NULL;

-- evidence_files: the edits that are evidence, and of which file
SELECT id, subject AS file FROM evidence WHERE kind = 'edit';

-- memory_folders: the live memories and where each was written
SELECT number, working_dir FROM memory WHERE trashed_at_ms IS NULL AND working_dir IS NOT NULL;

-- memories_of: the live memories that some sessions stored
SELECT number FROM memory
WHERE trashed_at_ms IS NULL AND session_id IN (SELECT value FROM json_each(:sessions));

-- row: one memory
SELECT * FROM memory WHERE number = :number;

-- counts: what is kept of some sessions, and of some events besides
SELECT
    (SELECT count(*) FROM session WHERE id IN (SELECT value FROM json_each(:sessions)))
        AS sessions,
    (SELECT count(*) FROM turn WHERE session_id IN (SELECT value FROM json_each(:sessions)))
        AS turns,
    (SELECT count(*) FROM event
     WHERE session_id IN (SELECT value FROM json_each(:sessions))
        OR id IN (SELECT value FROM json_each(:events))) AS events,
    (SELECT count(*) FROM evidence
     WHERE session_id IN (SELECT value FROM json_each(:sessions))
        OR id IN (SELECT value FROM json_each(:evidence))) AS evidence,
    (SELECT count(*) FROM injection WHERE session_id IN (SELECT value FROM json_each(:sessions)))
        AS ledger,
    (SELECT count(*) FROM feedback WHERE session_id IN (SELECT value FROM json_each(:sessions)))
        AS feedback,
    (SELECT count(*) FROM obligation WHERE session_id IN (SELECT value FROM json_each(:sessions)))
        AS obligations,
    (SELECT count(*) FROM judgment_log
     WHERE session_id IN (SELECT value FROM json_each(:sessions))) AS judgments,
    (SELECT count(*) FROM support WHERE event_id IN (
        SELECT id FROM event
        WHERE session_id IN (SELECT value FROM json_each(:sessions))
           OR id IN (SELECT value FROM json_each(:events)))) AS support,
    (SELECT count(*) FROM digest WHERE session_id IN (SELECT value FROM json_each(:sessions)))
        AS digests,
    (SELECT count(*) FROM approval WHERE session_id IN (SELECT value FROM json_each(:sessions)))
        AS approvals,
    (SELECT count(*) FROM shown_notice WHERE session_id IN (SELECT value FROM json_each(:sessions)))
        AS shown,
    (SELECT count(*) FROM memory_worth WHERE session_id IN (SELECT value FROM json_each(:sessions)))
        AS worth,
    (SELECT count(*) FROM session_worth WHERE session_id IN (SELECT value FROM json_each(:sessions)))
        AS cost,
    (SELECT count(*) FROM loop WHERE session_id IN (SELECT value FROM json_each(:sessions)))
        AS loops;

-- drop_turns: forget prompts
DELETE FROM turn WHERE session_id IN (SELECT value FROM json_each(:sessions));

-- drop_support: forget that events support candidates
DELETE FROM support WHERE event_id IN (
    SELECT id FROM event
    WHERE session_id IN (SELECT value FROM json_each(:sessions))
       OR id IN (SELECT value FROM json_each(:events)));

-- drop_events: forget events
DELETE FROM event
WHERE session_id IN (SELECT value FROM json_each(:sessions))
   OR id IN (SELECT value FROM json_each(:events));

-- drop_evidence: forget what tools did
DELETE FROM evidence
WHERE session_id IN (SELECT value FROM json_each(:sessions))
   OR id IN (SELECT value FROM json_each(:evidence));

-- drop_ledger: forget what was given
DELETE FROM injection WHERE session_id IN (SELECT value FROM json_each(:sessions));

-- drop_feedback: forget what was said of it
DELETE FROM feedback WHERE session_id IN (SELECT value FROM json_each(:sessions));

-- drop_obligations: forget what was owed
DELETE FROM obligation WHERE session_id IN (SELECT value FROM json_each(:sessions));

-- drop_digests: forget what was to be given back after compactions
DELETE FROM digest WHERE session_id IN (SELECT value FROM json_each(:sessions));

-- drop_approvals: forget when plans were approved
DELETE FROM approval WHERE session_id IN (SELECT value FROM json_each(:sessions));

-- drop_judgments: forget what was judged
DELETE FROM judgment_log WHERE session_id IN (SELECT value FROM json_each(:sessions));

-- drop_shown: forget what was shown
DELETE FROM shown_notice WHERE session_id IN (SELECT value FROM json_each(:sessions));

-- drop_worth: forget what became of what was given
DELETE FROM memory_worth WHERE session_id IN (SELECT value FROM json_each(:sessions));

-- drop_cost: forget what the sessions took
DELETE FROM session_worth WHERE session_id IN (SELECT value FROM json_each(:sessions));

-- drop_loops: forget tasks that were worked on again and again; their journals go with them
DELETE FROM loop WHERE session_id IN (SELECT value FROM json_each(:sessions));

-- drop_sessions: forget the sessions themselves
DELETE FROM session WHERE id IN (SELECT value FROM json_each(:sessions));
