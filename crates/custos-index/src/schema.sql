-- The tables of the index. All of it is derived: no column holds anything that a rebuild, or a look at the knowledge files, would not
-- put there again.
--
-- A text is searched, listed and ranked by three things that share the same key: the row with what a reader lists, the term vector
-- that ranking reads, and the entry in the full-text index. See key.rs for how a key is made and why it is not a counter.

-- How far each writer's log has been read: the next line begins here.
CREATE TABLE cursors (
    no INTEGER PRIMARY KEY,
    writer TEXT NOT NULL UNIQUE,
    segment INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    seq INTEGER NOT NULL
);

-- Lines that hold no event that we could read: broken ones, and those of a newer schema.
CREATE TABLE problems (
    writer INTEGER NOT NULL,
    segment INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (writer, segment, offset)
) WITHOUT ROWID;

-- What projects are called here that are called otherwise in the log: no row has an old name.
CREATE TABLE renamed (
    was TEXT PRIMARY KEY,
    now TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE kinds (
    no INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    events INTEGER NOT NULL
);

-- Every event once, however often a restored copy repeats it, and where it stands in the log.
CREATE TABLE events (
    id BLOB PRIMARY KEY,
    kind INTEGER NOT NULL,
    key INTEGER NOT NULL,
    writer INTEGER NOT NULL,
    segment INTEGER NOT NULL,
    offset INTEGER NOT NULL
) WITHOUT ROWID;

-- Ids that must never come back, because somebody forgot them or what they were derived from; what kind of event it was, where
-- that is known; and when the log says that it was forgotten.
CREATE TABLE forgotten (
    id BLOB PRIMARY KEY,
    kind TEXT,
    at INTEGER
) WITHOUT ROWID;

-- What was made from what; work.rs says what each `result` means.
CREATE TABLE sources (
    source BLOB NOT NULL,
    derived BLOB NOT NULL,
    result INTEGER NOT NULL,
    pass INTEGER NOT NULL,
    PRIMARY KEY (source, derived)
) WITHOUT ROWID;
CREATE INDEX sources_by_derived ON sources (derived);

CREATE TABLE tool_events (
    key INTEGER PRIMARY KEY,
    id BLOB NOT NULL,
    ts INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    project TEXT,
    session TEXT,
    client TEXT,
    agent TEXT,
    scope TEXT NOT NULL,
    acl TEXT NOT NULL,
    task TEXT,
    tool TEXT,
    outcome TEXT,
    files_read TEXT,
    files_changed TEXT,
    input_bytes INTEGER NOT NULL,
    output_bytes INTEGER NOT NULL
);

-- The frame of a session: starts, ends, ends of turns.
CREATE TABLE milestones (
    key INTEGER PRIMARY KEY,
    id BLOB NOT NULL,
    ts INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    project TEXT,
    session TEXT,
    client TEXT,
    agent TEXT
);

-- Sums over the rows of each session; forgetting computes them anew from those rows.
CREATE TABLE sessions (
    session TEXT PRIMARY KEY,
    project TEXT,
    client TEXT,
    agent TEXT,
    first_key INTEGER NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    started INTEGER,
    ended INTEGER,
    interrupted INTEGER,
    turns INTEGER NOT NULL,
    prompts INTEGER NOT NULL,
    tool_events INTEGER NOT NULL,
    observations INTEGER NOT NULL,
    summaries INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX sessions_by_time ON sessions (last);

-- What a worker has to look at. `state` 0: pending; 1: done; 2: abandoned. `passes`: how often it was opened again. `writer`: who
-- recorded it, and so whose worker does it.
CREATE TABLE work (
    event BLOB PRIMARY KEY,
    kind INTEGER NOT NULL,
    writer INTEGER NOT NULL,
    ts INTEGER NOT NULL,
    session TEXT,
    project TEXT,
    task TEXT,
    state INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    passes INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX work_pending ON work (session, ts, writer) WHERE state = 0;
CREATE INDEX work_by_session ON work (session, task);

-- Pieces of work that have their results: who made them, and why not who should have.
CREATE TABLE done (
    id BLOB PRIMARY KEY,
    work TEXT NOT NULL,
    ts INTEGER NOT NULL,
    session TEXT,
    maker TEXT NOT NULL,
    fell_back TEXT,
    results INTEGER NOT NULL,
    merged INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX done_by_session ON done (session);

-- What a worker made: in which piece of work, and the hash of what it says, so that a session learns nothing
-- twice. Summaries have none; `of_session` tells those of whole sessions.
CREATE TABLE made (
    id BLOB PRIMARY KEY,
    ts INTEGER NOT NULL,
    work TEXT NOT NULL,
    session TEXT,
    content TEXT,
    of_session INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX made_by_content ON made (session, content);

-- What something better has taken the place of; `event` says so, and is often the replacement itself. `corrects`: somebody said so on
-- purpose; a worker that tidies up its own results corrects nothing.
CREATE TABLE superseded (
    id BLOB NOT NULL,
    replacement BLOB NOT NULL,
    event BLOB NOT NULL,
    ts INTEGER NOT NULL,
    corrects INTEGER NOT NULL,
    PRIMARY KEY (id, replacement, event)
) WITHOUT ROWID;
CREATE INDEX corrections ON superseded (id) WHERE corrects;
CREATE INDEX superseded_by ON superseded (replacement);
CREATE INDEX superseded_as_told ON superseded (event);

-- What a model was asked, and what it took.
CREATE TABLE usage (
    id BLOB PRIMARY KEY,
    ts INTEGER NOT NULL,
    session TEXT,
    project TEXT,
    work TEXT,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    input INTEGER NOT NULL,
    cached INTEGER NOT NULL,
    output INTEGER NOT NULL,
    microdollars INTEGER
) WITHOUT ROWID;
CREATE INDEX usage_by_time ON usage (ts);

-- What people and agents wrote, as it is listed. `kind` is the last part of the key (key.rs).
CREATE TABLE texts (
    key INTEGER PRIMARY KEY,
    id BLOB NOT NULL,
    ts INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    project TEXT,
    session TEXT,
    client TEXT,
    agent TEXT,
    role TEXT,
    scope TEXT NOT NULL,
    acl TEXT NOT NULL,
    origin TEXT NOT NULL,
    task TEXT,
    importance REAL,
    sort TEXT,
    title TEXT,
    excerpt TEXT NOT NULL,
    files_read TEXT,
    files_changed TEXT,
    branch TEXT,
    chars INTEGER NOT NULL,
    trusted INTEGER NOT NULL,
    of_session INTEGER NOT NULL,
    name TEXT,
    file TEXT
);
CREATE INDEX texts_by_kind ON texts (kind, ts);
CREATE INDEX texts_by_project ON texts (project, kind, ts);
CREATE INDEX texts_by_session ON texts (session, ts, id) WHERE session IS NOT NULL;
CREATE INDEX texts_by_weight ON texts (project, importance, ts) WHERE kind = 1;
-- The end of an id, as lists print it.
CREATE INDEX texts_by_end ON texts (substr(id, 11));
CREATE INDEX texts_of_sessions ON texts (project, ts) WHERE of_session = 1;

-- Texts that come from files and not from the log: which file, what it looked like, whether it binds, and all that it says.
CREATE TABLE knowledge (
    key INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    store TEXT NOT NULL,
    path TEXT NOT NULL,
    stamp INTEGER NOT NULL,
    binds INTEGER NOT NULL,
    text TEXT NOT NULL,
    UNIQUE (store, path)
);

-- How many texts of each kind each project has, and how many tokens they have together: what a word weighs depends on it. Texts
-- without a project have the empty one.
CREATE TABLE scopes (
    no INTEGER PRIMARY KEY,
    project TEXT NOT NULL,
    kind INTEGER NOT NULL,
    slot INTEGER NOT NULL,
    documents INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    UNIQUE (project, kind)
);
CREATE INDEX scopes_by_slot ON scopes (slot);

-- The term vector of each text (document.rs), and the names of its pieces, one after the other. `draw` is a number as if by lot: the
-- texts of a scope with the least ones are a fair sample of it.
CREATE TABLE documents (
    key INTEGER PRIMARY KEY,
    scope INTEGER NOT NULL,
    draw INTEGER NOT NULL,
    length INTEGER NOT NULL,
    pieces BLOB NOT NULL,
    terms BLOB NOT NULL
);
CREATE INDEX documents_by_draw ON documents (scope, draw);

-- Which texts a piece is in. `piece` is the first half of its name.
CREATE TABLE pieces (
    piece INTEGER NOT NULL,
    key INTEGER NOT NULL,
    PRIMARY KEY (piece, key)
) WITHOUT ROWID;

-- Texts whose pieces may still have no vector. `at` is the part of the key that tells the time.
CREATE TABLE unembedded (
    at INTEGER NOT NULL,
    key INTEGER NOT NULL,
    PRIMARY KEY (at, key)
) WITHOUT ROWID;

-- What was said about keeping a text in view. The last word counts.
CREATE TABLE pins (
    text BLOB NOT NULL,
    ts INTEGER NOT NULL,
    event BLOB NOT NULL,
    pinned INTEGER NOT NULL,
    PRIMARY KEY (text, ts, event)
) WITHOUT ROWID;
CREATE INDEX pins_by_event ON pins (event);

-- Which memories a session was given: that it was, and when. The rest is in the log.
CREATE TABLE served (
    id BLOB PRIMARY KEY,
    ts INTEGER NOT NULL,
    session TEXT,
    project TEXT,
    moment TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX served_by_time ON served (ts);
CREATE INDEX served_by_session ON served (session, ts);

-- Only which token is in which document. Frequencies are in the term vectors, so a posting costs a few bytes; the text is not
-- stored; what FTS5 gets is tokens of our own analyser, which the tokenizer `ascii` takes as they are.
CREATE VIRTUAL TABLE search USING fts5 (
    tokens, content = '', contentless_delete = 1, detail = 'none', tokenize = 'ascii'
);

-- Its tokens, and in how many documents each one is: to complete the beginning of a word.
CREATE VIRTUAL TABLE vocabulary USING fts5vocab ('search', 'row');

-- `purge`: rows were forgotten whose bytes may still be in the file. `embedder`: the hash of whose vectors `unembedded` is about.
-- `orphaned`, where it is there: there may be vectors of what no file says any more (knowledge.rs).
CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO meta VALUES ('purge', 0), ('embedder', 0);
