-- note_shown: note that a session was shown something unasked; the same again enters nothing
INSERT INTO shown_notice (kind, session_id, project_id, subject, shown_at_ms)
VALUES (:kind, :session_id, (SELECT project_id FROM session WHERE id = :session_id), :subject,
        :at_ms)
ON CONFLICT (session_id, kind, subject) DO NOTHING;

-- take_back_shown: what was shown did not arrive
DELETE FROM shown_notice
WHERE session_id = :session_id AND kind = :kind AND subject = :subject;

-- settle: say what came of what was shown; what is found out later counts
UPDATE shown_notice SET outcome = :outcome, because = :because, settled_at_ms = :at_ms
WHERE session_id = :session_id AND kind = :kind AND subject = :subject;

-- tally: how often a kind was right, of what counts since it was switched on again, in how many
-- sessions; a null asks for all kinds, or all projects
WITH counted AS (
    SELECT n.kind, n.outcome, n.session_id
    FROM shown_notice AS n LEFT JOIN notice_switch AS s ON s.kind = n.kind
    WHERE n.shown_at_ms >= coalesce(s.counted_from_ms, 0)
        AND (:kind IS NULL OR n.kind = :kind)
        AND (:project IS NULL OR n.project_id = :project)
)
SELECT kind, outcome, count(*) AS times FROM counted GROUP BY kind, outcome
UNION ALL
SELECT kind, 'sessions', count(DISTINCT session_id) FROM counted
WHERE outcome IN ('right', 'heeded', 'wrong', 'ignored') GROUP BY kind
ORDER BY kind;

-- switch_on: let a kind speak again: what it was before does not count any more
INSERT INTO notice_switch (kind, counted_from_ms) VALUES (:kind, :at_ms)
ON CONFLICT (kind) DO UPDATE SET counted_from_ms = excluded.counted_from_ms;
