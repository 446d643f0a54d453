-- had: how many nudges a session was given
SELECT count(*) FROM shown_notice WHERE session_id = :session_id AND kind LIKE 'nudge:%';

-- since: how many prompts came since the last of them, this one included
SELECT count(*) FROM (
    SELECT 1 FROM event
    WHERE session_id = :session_id AND name = 'UserPromptSubmit' AND occurred_at_ms > (
        SELECT max(shown_at_ms) FROM shown_notice
        WHERE session_id = :session_id AND kind LIKE 'nudge:%')
    LIMIT :most
);

-- had_this: whether a session was given this very one
SELECT 1 FROM shown_notice
WHERE session_id = :session_id AND kind = :kind AND subject = :subject;
