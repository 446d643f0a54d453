-- the coding session: what a turn did, which a stop is judged by

CREATE TABLE evidence (                     -- commands, edits and tool results of a turn, redacted
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    prompt_id TEXT NOT NULL,                -- '' before the first prompt
    agent_id TEXT,                          -- null: the main agent's
    call_id TEXT NOT NULL,                  -- the client's id of the tool call
    kind TEXT NOT NULL CHECK (kind IN ('command', 'edit', 'result')),
    subject TEXT NOT NULL,                  -- the command line, the path or the tool's name
    failed INTEGER,                         -- null: not known
    exit_code INTEGER,
    tail TEXT NOT NULL DEFAULT '',          -- the end of what it printed
    at_ms INTEGER NOT NULL,
    UNIQUE (session_id, call_id, kind)
) STRICT;
CREATE INDEX evidence_turn ON evidence (session_id, prompt_id, id);
