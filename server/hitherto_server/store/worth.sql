-- note_shown: note that a session was shown something unasked; the same again enters nothing
INSERT INTO shown_notice (kind, session_id, project_id, subject, shown_at_ms)
VALUES (:kind, :session_id, (SELECT project_id FROM session WHERE id = :session_id), :subject,
        :at_ms)
ON CONFLICT (session_id, kind, subject) DO NOTHING;

-- take_back_shown: what was shown did not arrive
DELETE FROM shown_notice
WHERE session_id = :session_id AND kind = :kind AND subject = :subject AND outcome IS NULL;

-- settle: say what came of what was shown; a word that is better founded replaces one that is not
UPDATE shown_notice SET outcome = :outcome, because = :because, settled_at_ms = :at_ms
WHERE session_id = :session_id AND kind = :kind AND subject = :subject
    AND (outcome IS NULL OR outcome IN ('ignored', 'unclear'));

-- unsettled: what a session was shown and what came of it is not known for good
SELECT id, kind, subject, shown_at_ms, outcome FROM shown_notice
WHERE session_id = :session_id AND (outcome IS NULL OR outcome IN ('ignored', 'unclear'))
ORDER BY id;

-- tally: how often a kind was right, of what counts since it was switched on again
SELECT outcome, count(*) AS times FROM shown_notice
WHERE kind = :kind AND outcome IS NOT NULL
    AND (:project IS NULL OR project_id = :project)
    AND shown_at_ms >= coalesce(
        (SELECT counted_from_ms FROM notice_switch WHERE kind = :kind), 0)
GROUP BY outcome;

-- kinds: every kind that was shown, with what became of it, in all projects
SELECT n.kind, n.outcome, count(*) AS times
FROM shown_notice AS n LEFT JOIN notice_switch AS s ON s.kind = n.kind
WHERE n.shown_at_ms >= coalesce(s.counted_from_ms, 0)
    AND (:project IS NULL OR n.project_id = :project)
GROUP BY n.kind, n.outcome ORDER BY n.kind, n.outcome;

-- switch_on: let a kind speak again: what it was before does not count any more
INSERT INTO notice_switch (kind, counted_from_ms) VALUES (:kind, :at_ms)
ON CONFLICT (kind) DO UPDATE SET counted_from_ms = excluded.counted_from_ms;
