-- clean-up: what was done with what its lists offer, step by step, so that all of it can be undone

CREATE TABLE cleaning_action (              -- one request: all of it, or nothing
    id INTEGER PRIMARY KEY,
    list TEXT NOT NULL CHECK (list IN (
        'duplicates', 'expendable', 'misfiled', 'replaced', 'conflicts', 'stale')),
    deed TEXT NOT NULL CHECK (deed IN ('apply', 'dismiss')),
    actor TEXT NOT NULL,
    done_at_ms INTEGER NOT NULL,
    undone_at_ms INTEGER,
    undone_by TEXT
) STRICT;

CREATE TABLE cleaning_step (
    id INTEGER PRIMARY KEY,
    action_id INTEGER NOT NULL REFERENCES cleaning_action (id) ON DELETE CASCADE,
    what TEXT NOT NULL CHECK (what IN (
        'change', 'confirm', 'relate', 'decide', 'dissolve', 'dismiss')),
    memory_number INTEGER NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
    revision INTEGER NOT NULL,              -- that it left the memory at
    relation_id INTEGER REFERENCES relation (id) ON DELETE CASCADE,
    detail TEXT NOT NULL DEFAULT '{}'       -- JSON: what an undo needs, or what was dismissed
) STRICT;
CREATE INDEX cleaning_step_action ON cleaning_step (action_id);
CREATE INDEX cleaning_step_memory ON cleaning_step (memory_number, what);
CREATE INDEX cleaning_step_relation ON cleaning_step (relation_id);

-- clean-up: how often a memory was given to somebody

CREATE TABLE recalled (                     -- by a recall that was asked for; the ledger has the rest
    memory_number INTEGER PRIMARY KEY REFERENCES memory (number) ON DELETE CASCADE,
    times INTEGER NOT NULL,
    last_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX injection_memory ON injection (memory_number) WHERE outcome = 'injected';

-- the queue of judged work, and the backfill of what was written before anybody judged

CREATE INDEX job_leased ON job (leased_until_ms) WHERE state = 'leased';
CREATE INDEX job_ended ON job (state, kind) WHERE state IN ('failed', 'cancelled');

CREATE INDEX relation_taken_back ON relation (newer_number, older_number)
    WHERE undone_by = 'judge';          -- a judgment said otherwise than a rule

CREATE TABLE unstated (                     -- what the writer of a memory left open
    memory_number INTEGER NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
    field TEXT NOT NULL CHECK (field IN ('kind', 'importance')),
    PRIMARY KEY (memory_number, field)
) STRICT, WITHOUT ROWID;

CREATE TABLE backfill (                     -- one run: what it was to do and how far it is
    id INTEGER PRIMARY KEY,
    state TEXT NOT NULL CHECK (state IN ('running', 'paused', 'done', 'cancelled')),
    why TEXT,                               -- why it rests
    before_number INTEGER,                  -- it goes from the newest memory to the oldest; null: from the top
    total INTEGER NOT NULL,
    judged INTEGER NOT NULL DEFAULT 0,
    passed_over INTEGER NOT NULL DEFAULT 0, -- no answer came, or it was changed meanwhile
    relations INTEGER NOT NULL DEFAULT 0,
    superseded INTEGER NOT NULL DEFAULT 0,
    kinds INTEGER NOT NULL DEFAULT 0,
    disagreements INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,    -- in a row
    input_tokens INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0,
    cost_usd REAL,                          -- null: no answer told it
    worked_ms INTEGER NOT NULL DEFAULT 0,
    began_at_ms INTEGER NOT NULL,
    finished_at_ms INTEGER
) STRICT;
CREATE UNIQUE INDEX backfill_live ON backfill ((1)) WHERE state IN ('running', 'paused');

-- verdicts beside files: found at every recall of a store that has some, and at once where none is

CREATE INDEX verdict_of_file ON verdict (memory_number)
    WHERE surface IN ('stale-check', 'edit-stale');

-- judgments: what was answered before, and what the log says besides

CREATE TABLE judgment_cache (               -- hashes and answers, no text of what was judged
    request_hash TEXT PRIMARY KEY,          -- of backend, model, questions and state
    model TEXT NOT NULL,                    -- the version that answered
    calibrated INTEGER NOT NULL,
    answers TEXT NOT NULL,
    answered_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX judgment_cache_answered ON judgment_cache (answered_at_ms);

ALTER TABLE judgment_log ADD COLUMN question_hash TEXT;
ALTER TABLE judgment_log ADD COLUMN cached INTEGER NOT NULL DEFAULT 0;
ALTER TABLE judgment_log ADD COLUMN detail TEXT;   -- why no answer came, in words of ours
CREATE INDEX judgment_log_session ON judgment_log (session_id, id) WHERE session_id IS NOT NULL;

-- categories: what each holds, and what was judged to belong in another one

CREATE INDEX memory_category ON memory (category_id) WHERE category_id IS NOT NULL
    AND trashed_at_ms IS NULL;
CREATE INDEX verdict_misfiled ON verdict (id)
    WHERE surface = 'category-check' AND answer <> 'stays';

-- benches: what a run showed of a surface, and on what its figures rest

CREATE TABLE bench_run (
    id INTEGER PRIMARY KEY,
    surface TEXT NOT NULL,
    backend TEXT NOT NULL CHECK (backend IN ('rules', 'configured')),
    sample TEXT NOT NULL CHECK (sample IN ('labelled', 'own')),
    model TEXT,                             -- the version that answered
    basis TEXT NOT NULL,                    -- model, question, thresholds, labels, code: in words
    passed TEXT NOT NULL DEFAULT '[]',      -- the locked switches that it opens while its basis runs
    report TEXT NOT NULL,                   -- JSON: figures, no text of any memory
    ran_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX bench_run_basis ON bench_run (surface, basis, id DESC);

-- the ledger: what a subagent was given is not what its session was given

ALTER TABLE injection ADD COLUMN agent TEXT NOT NULL DEFAULT '';   -- '': the session itself
DROP INDEX injection_once;
CREATE UNIQUE INDEX injection_once
    ON injection (session_id, agent, generation, memory_number, revision)
    WHERE outcome = 'injected';
