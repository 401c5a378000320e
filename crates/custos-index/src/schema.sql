-- The tables of the index. All of it is derived from the log: no column holds anything that a rebuild would not put there again.
--
-- Texts are searched, listed and ranked by three things that share the same key: the row with what a reader lists, the term
-- vector that ranking reads, and the entry in the full-text index. See key.rs for how a key is made and why it is not a counter.

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

-- What something better has taken the place of.
CREATE TABLE superseded (
    id BLOB NOT NULL,
    replacement BLOB NOT NULL,
    ts INTEGER NOT NULL,
    PRIMARY KEY (id, replacement)
) WITHOUT ROWID;
CREATE INDEX superseded_by ON superseded (replacement);

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

-- The term vector of each searchable row: see document.rs.
CREATE TABLE documents (
    key INTEGER PRIMARY KEY,
    length INTEGER NOT NULL,
    terms BLOB NOT NULL
);

-- Only which token is in which document. Frequencies are in the term vectors, so a posting costs a few bytes; the text is not
-- stored; what FTS5 gets is tokens of our own analyser, which the tokenizer `ascii` takes as they are.
CREATE VIRTUAL TABLE search USING fts5 (
    tokens, content = '', contentless_delete = 1, detail = 'none', tokenize = 'ascii'
);

-- Its tokens, and in how many documents each one is: to complete the beginning of a word.
CREATE VIRTUAL TABLE vocabulary USING fts5vocab ('search', 'row');

-- `documents` and `tokens`: how many there are in all. `purge`: rows were forgotten whose bytes may still be in the file.
CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO meta VALUES ('documents', 0), ('tokens', 0), ('purge', 0);
