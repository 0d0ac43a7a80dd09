-- The native layout, version 1. It refuses what section 11 forbids, whoever writes: another language, a shell, a fault.
-- No CHECK, index or trigger uses a JSON function: with trusted_schema=OFF older SQLite would refuse the whole file.
-- None that a write walks through has an IN of more than two values either: SQLite puts those into a tree of its own at
-- each statement, and an event with four of them took three times as long. What is commonest is asked first.
-- The large columns stand last, so that a page of tasks never walks over them.

CREATE TABLE service_config (
    key        TEXT    NOT NULL PRIMARY KEY,
    value      TEXT    NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE clients (
    id           TEXT    NOT NULL PRIMARY KEY,
    name         TEXT    NOT NULL,
    -- length() of a text stops at a NUL.
    token_hash   TEXT    NOT NULL UNIQUE CHECK (length(CAST(token_hash AS BLOB)) = 64
                                                AND token_hash NOT GLOB '*[^0-9a-f]*'),
    scopes       TEXT    NOT NULL,
    paired_at    INTEGER NOT NULL,
    last_seen_at INTEGER,
    revoked_at   INTEGER
) STRICT;

-- 11.1: model files stay outside; STRICT and the absence of a BLOB column keep their bytes out.
CREATE TABLE models (
    id         TEXT    NOT NULL PRIMARY KEY,
    name       TEXT    NOT NULL,
    digest     TEXT    NOT NULL CHECK (length(CAST(digest AS BLOB)) = 71 AND digest GLOB 'sha256:*'
                                       AND substr(digest, 8) NOT GLOB '*[^0-9a-f]*'),
    size_bytes INTEGER NOT NULL CHECK (size_bytes >= 0),
    path       TEXT    NOT NULL,
    format     TEXT,
    metadata   TEXT    NOT NULL,
    added_at   INTEGER NOT NULL
) STRICT;

CREATE TABLE tasks (
    id            TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    client_id     TEXT,
    model_id      TEXT,
    kind          TEXT    NOT NULL,
    status        TEXT    NOT NULL CHECK (status = 'running' OR status = 'completed' OR status = 'queued'
                                          OR status = 'loading' OR status = 'cancelling' OR status = 'failed'
                                          OR status = 'cancelled'),
    on_restart    TEXT,
    snapshot_seq  INTEGER CHECK (snapshot_seq BETWEEN 0 AND last_seq),
    last_seq      INTEGER NOT NULL CHECK (last_seq >= 0),
    attempt       INTEGER NOT NULL CHECK (attempt >= 1),
    error_code    TEXT,
    created_at    INTEGER NOT NULL,
    started_at    INTEGER,
    finished_at   INTEGER,
    updated_at    INTEGER NOT NULL,
    error_message TEXT,
    request       TEXT    NOT NULL,
    snapshot      TEXT,
    -- A BEFORE trigger sees -1 for a rowid that is still to be chosen; a row that really had it would shut the table.
    CONSTRAINT "a task has a positive rowid" CHECK (rowid > 0),
    CHECK ((finished_at IS NOT NULL) = (status = 'completed' OR status = 'failed' OR status = 'cancelled')),
    CHECK ((snapshot IS NULL) = (snapshot_seq IS NULL))
) STRICT;

CREATE INDEX tasks_by_created ON tasks (created_at, id);
CREATE INDEX tasks_by_status ON tasks (status, created_at, id);
-- Without the tasks that have none: each index that a row is in is one page more to write at its commit.
CREATE INDEX tasks_by_client ON tasks (client_id) WHERE client_id IS NOT NULL;
CREATE INDEX tasks_by_model ON tasks (model_id) WHERE model_id IS NOT NULL;
CREATE INDEX tasks_by_finished ON tasks (finished_at) WHERE finished_at IS NOT NULL;

-- The id orders all that ever happened, across tasks: it is the change feed. AUTOINCREMENT, so that no id comes twice.
CREATE TABLE task_events (
    id         INTEGER PRIMARY KEY AUTOINCREMENT CONSTRAINT "an event has a positive id" CHECK (id > 0),
    task_id    TEXT    NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    seq        INTEGER NOT NULL CHECK (seq >= 1),
    type       TEXT    NOT NULL,
    status     TEXT    NOT NULL CHECK (status = 'running' OR status = 'completed' OR status = 'queued'
                                       OR status = 'loading' OR status = 'cancelling' OR status = 'failed'
                                       OR status = 'cancelled'),
    attempt    INTEGER NOT NULL CHECK (attempt >= 1),
    created_at INTEGER NOT NULL,
    data       TEXT    NOT NULL,
    UNIQUE (task_id, seq),
    -- 11.3: a final status and its event carry one name.
    CHECK ((status = 'completed') = (type = 'response.completed')),
    CHECK ((status = 'failed') = (type = 'response.failed')),
    CHECK ((status = 'cancelled') = (type = 'response.cancelled'))
) STRICT;

CREATE TABLE responses (
    id         TEXT    NOT NULL PRIMARY KEY,
    task_id    TEXT    NOT NULL UNIQUE REFERENCES tasks (id) ON DELETE CASCADE,
    client_id  TEXT,
    model_id   TEXT,
    status     TEXT    NOT NULL,
    body       TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER
) STRICT;

CREATE INDEX responses_by_expiry ON responses (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE idempotency_keys (
    client_id      TEXT    NOT NULL,
    key            TEXT    NOT NULL,
    request_digest TEXT    NOT NULL,
    task_id        TEXT    NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    status_code    INTEGER NOT NULL,
    result         TEXT    NOT NULL,
    created_at     INTEGER NOT NULL,
    expires_at     INTEGER,
    PRIMARY KEY (client_id, key)
) STRICT;

CREATE INDEX idempotency_keys_by_task ON idempotency_keys (task_id);
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);

-- REPLACE removes the row in its way before any DELETE trigger is asked, by id or by rowid: so the insert is refused.
-- A log that was left behind is no new task's: without foreign keys a finished task is deleted without its events.
CREATE TRIGGER tasks_are_inserted_once BEFORE INSERT ON tasks
WHEN EXISTS (SELECT 1 FROM tasks WHERE id = NEW.id OR rowid = NEW.rowid)
     OR EXISTS (SELECT 1 FROM task_events WHERE task_id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'a task is inserted once');
END;

-- A rowid goes by four names. An update that sets none of them is not slowed.
CREATE TRIGGER tasks_keep_their_id BEFORE UPDATE OF id, rowid, oid, _rowid_ ON tasks
WHEN NEW.id <> OLD.id OR NEW.rowid <> OLD.rowid
BEGIN
    SELECT RAISE(ABORT, 'the id of a task never changes');
END;

CREATE TRIGGER tasks_leave_no_final_status BEFORE UPDATE OF status ON tasks
WHEN NEW.status <> OLD.status
     AND (OLD.status = 'completed' OR OLD.status = 'failed' OR OLD.status = 'cancelled')
BEGIN
    SELECT RAISE(ABORT, 'a task leaves no final status');
END;

CREATE TRIGGER tasks_being_cancelled_end_cancelled BEFORE UPDATE OF status ON tasks
WHEN OLD.status = 'cancelling' AND NEW.status NOT IN ('cancelling', 'cancelled')
BEGIN
    SELECT RAISE(ABORT, 'a task that is being cancelled ends as cancelled');
END;

CREATE TRIGGER tasks_are_queued_again_with_a_higher_attempt BEFORE UPDATE OF status, attempt ON tasks
WHEN NEW.attempt < OLD.attempt OR (NEW.status = 'queued' AND OLD.status <> 'queued' AND NEW.attempt <= OLD.attempt)
BEGIN
    SELECT RAISE(ABORT, 'a task goes back to queued only with a higher attempt, and no attempt comes back');
END;

-- 11.2: sequence numbers and status change together. The event is inserted first, then the task is moved once.
CREATE TRIGGER tasks_move_with_their_event BEFORE UPDATE OF status, last_seq ON tasks
WHEN (NEW.status <> OLD.status OR NEW.last_seq <> OLD.last_seq)
     AND (NEW.last_seq < OLD.last_seq
          OR NOT EXISTS (SELECT 1 FROM task_events
                         WHERE task_id = NEW.id AND seq = NEW.last_seq AND status = NEW.status))
BEGIN
    SELECT RAISE(ABORT, 'a task moves only to the sequence number and status of one of its events');
END;

-- 11.2: cleanup never deletes unfinished tasks.
CREATE TRIGGER tasks_are_deleted_only_when_finished BEFORE DELETE ON tasks
WHEN OLD.status <> 'completed' AND OLD.status <> 'failed' AND OLD.status <> 'cancelled'
BEGIN
    SELECT RAISE(ABORT, 'an unfinished task is not deleted');
END;

-- NEW.id is -1 here where the id is still to be chosen. sqlite_sequence also knows ids that cleanup has deleted, but not
-- yet the rows of this statement: of two with one id REPLACE would drop the first. Each statement costs every event: a
-- task is looked for only where a log begins.
CREATE TRIGGER task_events_are_appended BEFORE INSERT ON task_events
BEGIN
    SELECT RAISE(ABORT, 'an event has the next sequence number of its task')
    WHERE NEW.seq IS NOT 1 + coalesce((SELECT max(seq) FROM task_events WHERE task_id = NEW.task_id), 0);
    SELECT RAISE(ABORT, 'nothing follows a final event, and only cancelled follows cancelling')
    FROM task_events
    WHERE task_id = NEW.task_id AND seq = NEW.seq - 1
          AND (status = 'completed' OR status = 'failed' OR status = 'cancelled'
               OR status = 'cancelling' AND NEW.status NOT IN ('cancelling', 'cancelled'));
    SELECT RAISE(ABORT, 'an event belongs to a task')
    WHERE NEW.seq = 1 AND NOT EXISTS (SELECT 1 FROM tasks WHERE id = NEW.task_id);
    SELECT RAISE(ABORT, 'an event has an id above every earlier one, and with room for later ones')
    WHERE NEW.id <> -1 AND (NEW.id > 1 << 62
                            OR NEW.id <= (SELECT seq FROM sqlite_sequence WHERE name = 'task_events')
                            OR EXISTS (SELECT 1 FROM task_events WHERE id >= NEW.id));
END;

CREATE TRIGGER task_events_never_change BEFORE UPDATE ON task_events
BEGIN
    SELECT RAISE(ABORT, 'an event is never changed');
END;

CREATE TRIGGER task_events_outlive_no_task BEFORE DELETE ON task_events
WHEN EXISTS (SELECT 1 FROM tasks WHERE id = OLD.task_id)
BEGIN
    SELECT RAISE(ABORT, 'an event is deleted only after its task');
END;

PRAGMA application_id = 0x4C4D5350;
PRAGMA user_version = 1;
