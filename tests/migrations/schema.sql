CREATE TABLE anchor (                       -- ties a memory to the working tree
    id INTEGER PRIMARY KEY,
    memory_number INTEGER NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
    path TEXT NOT NULL,                     -- relative to the project's root, with '/'
    commit_hash TEXT,
    file_hash TEXT,                         -- sha256 at the last verification; null: never read
    verified_at_ms INTEGER NOT NULL,
    UNIQUE (memory_number, path)
) STRICT;

CREATE TABLE approval (                     -- each time that a plan was approved
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    memory_number INTEGER NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
    file TEXT NOT NULL,                     -- the plan file's name; '': not known
    at_ms INTEGER NOT NULL,
    UNIQUE (session_id, memory_number, at_ms)
) STRICT;

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

CREATE TABLE candidate_use (
    memory_number INTEGER NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
    session_id TEXT NOT NULL,
    used_at_ms INTEGER NOT NULL,
    PRIMARY KEY (memory_number, session_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE category (
    id INTEGER PRIMARY KEY,
    project_id INTEGER REFERENCES project (id),   -- null: user-wide
    parent_id INTEGER REFERENCES category (id),   -- a parent is a container and holds no memory
    name TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    trashed_at_ms INTEGER
) STRICT;

CREATE TABLE chunk (                        -- one exchange, or a part of a long one; redacted
    id INTEGER PRIMARY KEY,
    transcript_id INTEGER NOT NULL REFERENCES transcript (id) ON DELETE CASCADE,
    session_id TEXT NOT NULL,
    project_id INTEGER NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    message_id TEXT NOT NULL,               -- the client's id of the prompt
    sequence INTEGER NOT NULL CHECK (sequence >= 0), -- the part of that exchange
    from_offset INTEGER NOT NULL,
    to_offset INTEGER NOT NULL,
    started_at_ms INTEGER NOT NULL,
    ended_at_ms INTEGER NOT NULL,
    working_dir TEXT NOT NULL,
    branch TEXT,
    text TEXT NOT NULL,
    files TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(files)),
    UNIQUE (message_id, sequence)           -- a resumed session may carry the former one's messages
) STRICT;

CREATE TABLE chunk_vector (
    chunk_id INTEGER PRIMARY KEY REFERENCES chunk (id) ON DELETE CASCADE,
    model TEXT NOT NULL,
    vector BLOB NOT NULL
) STRICT;

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

CREATE TABLE config (                       -- everything a person can change at run time: one row
    id INTEGER PRIMARY KEY CHECK (id = 1),
    document TEXT NOT NULL DEFAULT '{}',
    changed_at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE counter (                      -- what must be seen to be believed: lost writes, drops
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE derived_index (                -- which derived index was built, by which recipe
    name TEXT PRIMARY KEY,
    recipe TEXT NOT NULL,
    built_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE digest (
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    generation INTEGER,                     -- that the compaction ended; null: not told to have happened
    asked_at_ms INTEGER NOT NULL,           -- when the client was about to compact
    done_at_ms INTEGER,                     -- when it said that it had
    done_by TEXT CHECK (done_by IN ('start', 'end')),   -- SessionStart(compact) or PostCompact
    chosen_by TEXT NOT NULL CHECK (chosen_by IN ('rule', 'judge')),
    items TEXT NOT NULL,                    -- messages without their secrets, as JSON
    given_at_ms INTEGER,
    memory_id TEXT,                         -- the candidate that it became
    CHECK ((generation IS NULL) = (done_at_ms IS NULL)),
    UNIQUE (session_id, asked_at_ms)
) STRICT;

CREATE TABLE embedding (                    -- the canonical vectors; `vector` is derived from them
    passage_id INTEGER NOT NULL REFERENCES passage (id) ON DELETE CASCADE,
    model TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    vector BLOB NOT NULL,                   -- float32, little endian, length 1
    PRIMARY KEY (passage_id, model)
) STRICT;

CREATE TABLE embedding_model (
    name TEXT PRIMARY KEY,                  -- as in embedding.model
    configured TEXT NOT NULL,               -- the setting that led to it: a name or a folder
    dimension INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('serving', 'coming', 'leaving')),
    since_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    name TEXT NOT NULL,
    body_hash TEXT NOT NULL,                -- the same event twice (settings and plugin) is one
    occurred_at_ms INTEGER NOT NULL,        -- when the hook began
    received_at_ms INTEGER NOT NULL,
    spooled INTEGER NOT NULL DEFAULT 0,
    tool_name TEXT,
    detail TEXT NOT NULL DEFAULT '{}'       -- what later questions need, bounded; never the whole body
) STRICT;

CREATE TABLE evidence (                     -- commands, edits and tool results of a turn, redacted
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    prompt_id TEXT NOT NULL,                -- '' before the first prompt
    agent_id TEXT,                          -- null: the main agent's
    call_id TEXT NOT NULL,                  -- the client's id of the tool call, or the memory's
    kind TEXT NOT NULL CHECK (kind IN ('command', 'edit', 'result', 'memory')),
    subject TEXT NOT NULL,                  -- the command line, the path, the tool or the memory
    failed INTEGER,                         -- null: not known
    exit_code INTEGER,
    tail TEXT NOT NULL DEFAULT '',          -- the end of what it printed
    at_ms INTEGER NOT NULL,
    UNIQUE (session_id, call_id, kind, subject)
) STRICT;

CREATE TABLE feedback (                     -- 'wrong', said of a memory that a session was given
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    admission TEXT NOT NULL,                -- the injection that it was said of
    memory_number INTEGER NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
    revision INTEGER NOT NULL,              -- the text that was given
    reason TEXT,                            -- in the person's words, redacted
    said_by TEXT NOT NULL,
    said_at_ms INTEGER NOT NULL,
    undone_at_ms INTEGER
) STRICT;

CREATE TABLE history_file (
    import_id INTEGER NOT NULL REFERENCES history_import (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    state TEXT NOT NULL,                    -- size, time and rules; the same again is not read again
    counts TEXT NOT NULL,                   -- JSON: what became of what it said
    read_at_ms INTEGER NOT NULL,
    PRIMARY KEY (import_id, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE history_import (
    id INTEGER PRIMARY KEY,
    client_home TEXT NOT NULL,              -- the client's folder that was read
    admits INTEGER NOT NULL,                -- 1: the person admitted what they said themselves
    began_at_ms INTEGER NOT NULL,
    finished_at_ms INTEGER,                 -- null: it goes on, after a restart too
    undone_at_ms INTEGER
) STRICT;

CREATE TABLE history_memory (               -- the memories that an import brought
    memory_number INTEGER PRIMARY KEY REFERENCES memory (number) ON DELETE CASCADE,
    import_id INTEGER NOT NULL REFERENCES history_import (id),
    imported_at_ms INTEGER NOT NULL,
    undone_at_ms INTEGER                    -- an undo put it into the trash, not a person
) STRICT;

CREATE TABLE injection (                    -- the ledger: each candidate of each admission
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    generation INTEGER NOT NULL,
    admission TEXT NOT NULL,                -- one id for all candidates of one admission
    channel TEXT NOT NULL CHECK (channel IN (
        'start', 'prompt', 'subagent', 'brief', 'compaction')),
    query TEXT,
    memory_number INTEGER REFERENCES memory (number) ON DELETE CASCADE,
    revision INTEGER,
    outcome TEXT NOT NULL CHECK (outcome IN ('injected', 'dropped', 'abstained')),
    reason TEXT NOT NULL,
    standing TEXT,
    scores TEXT NOT NULL DEFAULT '{}',
    tokens INTEGER,
    decided_at_ms INTEGER NOT NULL
, agent TEXT NOT NULL DEFAULT '') STRICT;

CREATE TABLE job (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,                  -- one live job a kind and subject
    payload TEXT NOT NULL DEFAULT '{}',
    priority INTEGER NOT NULL DEFAULT 100,  -- smaller first
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN (
        'waiting', 'leased', 'done', 'failed', 'cancelled')),
    attempts INTEGER NOT NULL DEFAULT 0,
    not_before_ms INTEGER NOT NULL DEFAULT 0,
    leased_until_ms INTEGER,
    progress TEXT,
    failure TEXT,
    created_at_ms INTEGER NOT NULL,
    finished_at_ms INTEGER
) STRICT;

CREATE TABLE judgment_cache (               -- hashes and answers, no text of what was judged
    request_hash TEXT PRIMARY KEY,          -- of backend, model, questions and state
    model TEXT NOT NULL,                    -- the version that answered
    calibrated INTEGER NOT NULL,
    answers TEXT NOT NULL,
    answered_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE judgment_log (
    id INTEGER PRIMARY KEY,
    asked_at_ms INTEGER NOT NULL,
    surface TEXT NOT NULL,
    riders TEXT NOT NULL DEFAULT '[]',
    origin TEXT NOT NULL,
    session_id TEXT,
    project_id INTEGER REFERENCES project (id),
    model TEXT,
    latency_ms REAL,
    input_tokens INTEGER,
    output_tokens INTEGER,
    cost_usd REAL,
    preview TEXT,                           -- at most 500 characters, redacted
    answers TEXT,
    unavailable_reason TEXT,
    outcome TEXT                            -- what the caller did with the answer
, question_hash TEXT, cached INTEGER NOT NULL DEFAULT 0, detail TEXT) STRICT;

CREATE TABLE loop (
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    project_id INTEGER REFERENCES project (id) ON DELETE SET NULL,
    task TEXT NOT NULL,                     -- without its secrets
    state TEXT NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'paused', 'ended')),
    reason TEXT CHECK (reason IN ('blocked', 'waiting', 'idle', 'done', 'goal', 'iterations', 'time',
                                  'stopped', 'person', 'session')),
    iteration INTEGER NOT NULL DEFAULT 1 CHECK (iteration >= 1),
    most_iterations INTEGER NOT NULL,
    started_at_ms INTEGER NOT NULL,
    until_ms INTEGER NOT NULL,
    ended_at_ms INTEGER,
    prompt_id TEXT NOT NULL DEFAULT '',     -- in whose turn the iteration was asked for
    idle INTEGER NOT NULL DEFAULT 0,        -- iterations in a row without a tool call
    asked_at_ms INTEGER NOT NULL DEFAULT 0,
    is_told INTEGER NOT NULL DEFAULT 0 CHECK (is_told IN (0, 1)),
    CHECK ((state = 'ended') = (ended_at_ms IS NOT NULL)),
    CHECK (iteration <= most_iterations)
) STRICT;

CREATE TABLE loop_entry (                   -- the journal, redacted
    id INTEGER PRIMARY KEY,
    loop_id INTEGER NOT NULL REFERENCES loop (id) ON DELETE CASCADE,
    iteration INTEGER NOT NULL,
    written_by TEXT NOT NULL CHECK (written_by IN ('agent', 'reply')),
    text TEXT NOT NULL,
    at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE memory (
    number INTEGER PRIMARY KEY,             -- inside the database only
    id TEXT NOT NULL UNIQUE,                -- uuid7, what everybody else sees
    project_id INTEGER REFERENCES project (id),   -- null: user-wide
    category_id INTEGER REFERENCES category (id),
    kind TEXT NOT NULL CHECK (kind IN (
        'decision', 'issue', 'preference', 'fact', 'note', 'plan', 'workflow', 'dossier')),
    content TEXT NOT NULL,
    content_hash TEXT NOT NULL,             -- sha256 of the normalised content
    tags TEXT NOT NULL DEFAULT '[]',
    importance INTEGER NOT NULL DEFAULT 5 CHECK (importance BETWEEN 1 AND 10),
    tier TEXT NOT NULL DEFAULT 'admitted' CHECK (tier IN ('candidate', 'admitted')),
    held_back_because TEXT,                 -- why a candidate is not admitted yet
    suspect INTEGER NOT NULL DEFAULT 0,     -- addresses an agent; never injected unasked
    source TEXT NOT NULL CHECK (source IN (
        'user-told', 'agent', 'plan', 'compaction', 'transcript', 'import', 'external')),
    source_ref TEXT,
    idempotency_key TEXT,
    actor TEXT NOT NULL,
    device TEXT NOT NULL,
    state_key TEXT,                         -- e.g. 'deploy.port': one current value at a time
    true_from_ms INTEGER,                   -- the clock of the world
    true_until_ms INTEGER,
    learned_at_ms INTEGER NOT NULL,         -- the clock of the store
    expires_at_ms INTEGER,
    session_id TEXT,
    commit_hash TEXT,
    branch TEXT,
    working_dir TEXT,
    revision INTEGER NOT NULL DEFAULT 1,
    changed_at_ms INTEGER NOT NULL,
    confirmed_at_ms INTEGER,
    confirmed_commit TEXT,
    trashed_at_ms INTEGER
) STRICT;

CREATE TABLE memory_worth (                 -- one row for each time that the ledger gave a memory
    session_id TEXT NOT NULL,
    agent TEXT NOT NULL,                    -- '': the session itself
    generation INTEGER NOT NULL,
    memory_number INTEGER NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
    revision INTEGER NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('used', 'contradicted', 'ignored', 'unclear')),
    blame TEXT CHECK (blame IN ('false', 'stale')),   -- of a contradicted one: wrong, or outdated
    because TEXT NOT NULL,                  -- what shows it, in a few words
    standing TEXT,                          -- that it was given with
    tokens INTEGER,
    given_at_ms INTEGER NOT NULL,
    PRIMARY KEY (session_id, agent, generation, memory_number, revision)
) STRICT, WITHOUT ROWID;

CREATE TABLE merge_conflict (
    memory_number INTEGER NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
    kept_revision INTEGER NOT NULL,         -- what holds now; the next one settles it
    other_revision INTEGER NOT NULL,        -- what the other side said last
    found_at_ms INTEGER NOT NULL,
    PRIMARY KEY (memory_number, other_revision)
) STRICT, WITHOUT ROWID;

CREATE TABLE migration (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    applied_at_ms INTEGER NOT NULL
) STRICT
;

CREATE TABLE notice_switch (                -- kinds that a person switched on again
    kind TEXT PRIMARY KEY,
    counted_from_ms INTEGER NOT NULL        -- what was shown before does not count any more
) STRICT, WITHOUT ROWID;

CREATE TABLE obligation (
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    generation INTEGER NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    detail TEXT NOT NULL DEFAULT '{}',
    raised_at_ms INTEGER NOT NULL,
    blocks INTEGER NOT NULL DEFAULT 0,
    cleared_at_ms INTEGER,
    cleared_by TEXT
) STRICT;

CREATE TABLE part (                         -- what the memory names inside that file
    anchor_id INTEGER NOT NULL REFERENCES anchor (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('symbol', 'key', 'line', 'mention')),
    name TEXT NOT NULL,
    region_hash TEXT,                       -- null: its presence is all that is checked
    PRIMARY KEY (anchor_id, kind, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE passage (
    id INTEGER PRIMARY KEY,
    memory_number INTEGER NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    start_char INTEGER NOT NULL,
    end_char INTEGER NOT NULL,
    UNIQUE (memory_number, position)
) STRICT;

CREATE TABLE project (
    id INTEGER PRIMARY KEY,
    identity TEXT NOT NULL UNIQUE,          -- 'remote:host/owner/name', 'root:COMMIT' or 'path:/dir'
    name TEXT NOT NULL,
    seen_root TEXT NOT NULL,                -- the working tree that was seen last
    created_at_ms INTEGER NOT NULL,
    seen_at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE quiet (                        -- sessions and folders that hooks leave alone
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('pause', 'ignore')),
    session_id TEXT,
    path TEXT,                              -- absolute, as it was named
    began_at_ms INTEGER NOT NULL,
    until_ms INTEGER,                       -- null: until it is taken back
    ended_at_ms INTEGER,                    -- when it was taken back; kept for what the spool brings
    CHECK ((session_id IS NULL) <> (path IS NULL)),
    CHECK (kind = 'pause' OR path IS NOT NULL)
) STRICT;

CREATE TABLE recalled (                     -- by a recall that was asked for; the ledger has the rest
    memory_number INTEGER PRIMARY KEY REFERENCES memory (number) ON DELETE CASCADE,
    times INTEGER NOT NULL,
    last_at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE relation (                     -- newer memory → older memory
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN (
        'duplicate_of', 'possible_conflict', 'similar', 'supersedes')),
    newer_number INTEGER NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
    older_number INTEGER NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
    said_by TEXT NOT NULL CHECK (said_by IN ('rule', 'judge', 'agent', 'person')),
    probability REAL,
    reason TEXT,
    created_at_ms INTEGER NOT NULL,
    decided_at_ms INTEGER,                  -- a conflict that a person or a judgment settled
    undone_at_ms INTEGER,                   -- kept, so that no job says it again
    undone_by TEXT, slot TEXT CHECK (slot IN ('value', 'polarity')),
    CHECK (newer_number <> older_number)
) STRICT;

CREATE TABLE revision (                     -- every state that a memory had, text and not vectors
    memory_number INTEGER NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
    revision INTEGER NOT NULL,
    change TEXT NOT NULL CHECK (change IN (
        'create', 'edit', 'supersede', 'forget', 'restore', 'undo', 'admit')),
    actor TEXT NOT NULL,
    changed_at_ms INTEGER NOT NULL,
    content TEXT NOT NULL,
    state TEXT NOT NULL,                    -- the other fields that a change may touch, as JSON
    PRIMARY KEY (memory_number, revision)
) STRICT, WITHOUT ROWID;

CREATE TABLE session (
    id TEXT PRIMARY KEY,                    -- the client's own id
    client TEXT NOT NULL,
    project_id INTEGER REFERENCES project (id),
    working_dir TEXT,
    parent_session_id TEXT,
    started_at_ms INTEGER NOT NULL,
    seen_at_ms INTEGER NOT NULL,
    ended_at_ms INTEGER,
    end_reason TEXT,
    generation INTEGER NOT NULL DEFAULT 0,  -- counts starts and compactions: what was shown is gone
    paused INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE session_worth (                -- null: not known
    session_id TEXT PRIMARY KEY,
    input_tokens INTEGER,
    output_tokens INTEGER,
    cache_creation_tokens INTEGER,
    cache_read_tokens INTEGER,
    replies INTEGER,                        -- that the transcripts hold, each counted once
    silent_replies INTEGER,                 -- of these: how many do not say what they took
    through_event INTEGER NOT NULL,         -- the last event that was looked at
    transcript TEXT,                        -- where the client keeps it
    computed_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE shown_notice (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,                     -- 'notice:changed', 'block:turn-worth', 'nudge:…'
    session_id TEXT NOT NULL,
    project_id INTEGER REFERENCES project (id),
    subject TEXT NOT NULL,                  -- a memory's id, a prompt's id: what it was about
    shown_at_ms INTEGER NOT NULL,
    outcome TEXT CHECK (outcome IN ('right', 'heeded', 'wrong', 'ignored', 'unclear')),
    because TEXT,                           -- what shows it, in a few words of ours
    settled_at_ms INTEGER,
    UNIQUE (session_id, kind, subject)
) STRICT;

CREATE TABLE support (                      -- what shows that a candidate's sentence was said
    memory_number INTEGER NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
    event_id INTEGER NOT NULL REFERENCES event (id),
    sentence TEXT NOT NULL,
    polarity TEXT NOT NULL CHECK (polarity IN ('affirms', 'denies')),
    trust TEXT NOT NULL CHECK (trust IN ('user', 'repository', 'tool', 'external')),
    PRIMARY KEY (memory_number, event_id, sentence)
) STRICT, WITHOUT ROWID;

CREATE TABLE transcript (                   -- a client's transcript, and how far it is read
    id INTEGER PRIMARY KEY,
    path_hash TEXT NOT NULL UNIQUE,
    path TEXT,                              -- null: purged, and sought no more until a hook names it
    session_id TEXT NOT NULL,               -- '' where it was purged
    head TEXT NOT NULL DEFAULT '',          -- of its first bytes: tells another file of that name
    read_offset INTEGER NOT NULL DEFAULT 0 CHECK (read_offset >= 0),
    found_offset INTEGER NOT NULL DEFAULT 0 CHECK (found_offset >= 0), -- until where findings were looked for
    since_ms INTEGER NOT NULL DEFAULT 0,    -- what was said before is never read (again)
    seen_at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE turn (
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES session (id),
    prompt_id TEXT NOT NULL,
    prompt TEXT NOT NULL,
    reply TEXT,
    started_at_ms INTEGER NOT NULL,
    ended_at_ms INTEGER,
    UNIQUE (session_id, prompt_id)
) STRICT;

CREATE TABLE unstated (                     -- what the writer of a memory left open
    memory_number INTEGER NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
    field TEXT NOT NULL CHECK (field IN ('kind', 'importance')),
    PRIMARY KEY (memory_number, field)
) STRICT, WITHOUT ROWID;

CREATE TABLE vector_block (                 -- the signs of some passages of one scope, in a row
    id INTEGER PRIMARY KEY,
    project INTEGER NOT NULL,               -- 0: user-wide
    size INTEGER NOT NULL,                  -- how many passages
    passages BLOB NOT NULL,                 -- their ids: int64, little endian
    codes BLOB NOT NULL                     -- for each a bit a dimension, filled up to whole int64
, edition INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE vector_place (                 -- in which block a passage is
    passage_id INTEGER PRIMARY KEY,
    block_id INTEGER NOT NULL
) STRICT;

CREATE TABLE verdict (                      -- what a judgment said of a memory at one revision
    id INTEGER PRIMARY KEY,
    memory_number INTEGER NOT NULL REFERENCES memory (number) ON DELETE CASCADE,
    revision INTEGER NOT NULL,
    surface TEXT NOT NULL,
    answer TEXT NOT NULL,
    probability REAL,
    basis_hash TEXT NOT NULL,               -- model, question version, thresholds and what was judged
    judged_at_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX anchor_path ON anchor (path);

CREATE INDEX approval_file ON approval (file, at_ms);

CREATE UNIQUE INDEX backfill_live ON backfill ((1)) WHERE state IN ('running', 'paused');

CREATE INDEX bench_run_basis ON bench_run (surface, basis, id DESC);

CREATE UNIQUE INDEX category_name
    ON category (coalesce(project_id, 0), coalesce(parent_id, 0), name);

CREATE INDEX chunk_recent ON chunk (project_id, started_at_ms DESC);

CREATE INDEX chunk_session ON chunk (session_id, started_at_ms);

CREATE INDEX chunk_transcript ON chunk (transcript_id, from_offset);

CREATE INDEX cleaning_step_action ON cleaning_step (action_id);

CREATE INDEX cleaning_step_memory ON cleaning_step (memory_number, what);

CREATE INDEX cleaning_step_relation ON cleaning_step (relation_id);

CREATE UNIQUE INDEX digest_once ON digest (session_id, generation);

CREATE UNIQUE INDEX embedding_model_state ON embedding_model (state) WHERE state <> 'leaving';

CREATE INDEX event_same ON event (session_id, name, body_hash, occurred_at_ms);

CREATE INDEX event_session ON event (session_id, id);

CREATE INDEX evidence_turn ON evidence (session_id, prompt_id, id);

CREATE INDEX feedback_memory ON feedback (memory_number) WHERE undone_at_ms IS NULL;

CREATE UNIQUE INDEX feedback_once ON feedback (session_id, memory_number)
    WHERE undone_at_ms IS NULL;

CREATE INDEX history_file_path ON history_file (path);

CREATE INDEX history_memory_import ON history_memory (import_id);

CREATE INDEX injection_admission ON injection (admission);

CREATE INDEX injection_memory ON injection (memory_number) WHERE outcome = 'injected';

CREATE UNIQUE INDEX injection_once
    ON injection (session_id, agent, generation, memory_number, revision)
    WHERE outcome = 'injected';

CREATE INDEX injection_session ON injection (session_id, id);

CREATE INDEX job_ended ON job (state, kind) WHERE state IN ('failed', 'cancelled');

CREATE INDEX job_leased ON job (leased_until_ms) WHERE state = 'leased';

CREATE UNIQUE INDEX job_live ON job (kind, subject) WHERE state IN ('waiting', 'leased');

CREATE INDEX job_next ON job (priority, not_before_ms) WHERE state = 'waiting';

CREATE INDEX judgment_cache_answered ON judgment_cache (answered_at_ms);

CREATE INDEX judgment_log_asked ON judgment_log (asked_at_ms);

CREATE INDEX judgment_log_session ON judgment_log (session_id, id) WHERE session_id IS NOT NULL;

CREATE INDEX loop_entry_loop ON loop_entry (loop_id, id);

CREATE UNIQUE INDEX loop_live ON loop (session_id) WHERE state <> 'ended';

CREATE INDEX loop_session ON loop (session_id, id);

CREATE INDEX memory_actor ON memory (project_id, actor);

CREATE INDEX memory_candidates ON memory (learned_at_ms) WHERE tier = 'candidate';

CREATE INDEX memory_category ON memory (category_id) WHERE category_id IS NOT NULL
    AND trashed_at_ms IS NULL;

CREATE INDEX memory_chunk ON memory (source) WHERE source = 'transcript';

CREATE UNIQUE INDEX memory_idempotency ON memory (coalesce(project_id, 0), idempotency_key)
    WHERE idempotency_key IS NOT NULL;

CREATE INDEX memory_live
    ON memory (coalesce(project_id, 0), learned_at_ms DESC, number DESC, kind, trashed_at_ms)
    WHERE trashed_at_ms IS NULL;

CREATE INDEX memory_session ON memory (session_id, number) WHERE session_id IS NOT NULL;

CREATE INDEX memory_state ON memory (coalesce(project_id, 0), state_key)
    WHERE state_key IS NOT NULL AND trashed_at_ms IS NULL;

CREATE UNIQUE INDEX memory_text ON memory (coalesce(project_id, 0), content_hash)
    WHERE trashed_at_ms IS NULL;

CREATE INDEX memory_trash ON memory (trashed_at_ms) WHERE trashed_at_ms IS NOT NULL;

CREATE INDEX memory_worth_memory ON memory_worth (memory_number, outcome);

CREATE UNIQUE INDEX obligation_live ON obligation (session_id, kind, subject)
    WHERE cleared_at_ms IS NULL;

CREATE UNIQUE INDEX relation_live ON relation (kind, newer_number, older_number)
    WHERE undone_at_ms IS NULL;

CREATE INDEX relation_older ON relation (older_number, kind) WHERE undone_at_ms IS NULL;

CREATE INDEX relation_taken_back ON relation (newer_number, older_number)
    WHERE undone_by = 'judge';

CREATE INDEX relation_undone ON relation (newer_number, older_number)
    WHERE undone_at_ms IS NOT NULL;

CREATE INDEX shown_notice_kind ON shown_notice (kind, project_id, outcome, shown_at_ms);

CREATE INDEX vector_block_edition ON vector_block (project, id, edition, size);

CREATE INDEX vector_block_project ON vector_block (project, size);

CREATE INDEX verdict_memory ON verdict (memory_number, surface, judged_at_ms DESC);

CREATE INDEX verdict_misfiled ON verdict (id)
    WHERE surface = 'category-check' AND answer <> 'stays';

CREATE INDEX verdict_of_file ON verdict (memory_number)
    WHERE surface IN ('stale-check', 'edit-stale');

