-- Imports. The document is what is shown. `place` is where the file is, until it is deleted. `position` is how many bytes of it are
-- worked off, and `row_number` is the number of the last row before that. `told_at` is when progress was last told. `due_at` is null once
-- the import has ended and its file is deleted; while the file is awaited, it is when the import is given up.
CREATE TABLE import (
    owner       TEXT COLLATE "C" NOT NULL,
    id          TEXT COLLATE "C" NOT NULL,
    version     BIGINT NOT NULL,
    status      TEXT COLLATE "C" NOT NULL
        CHECK (status IN ('awaiting_content', 'queued', 'running', 'completed', 'failed', 'cancelled')),
    place       TEXT,
    position    BIGINT NOT NULL DEFAULT 0,
    row_number  BIGINT NOT NULL DEFAULT 0,
    told_at     BIGINT NOT NULL,
    due_at      BIGINT,
    holder      TEXT COLLATE "C" NOT NULL DEFAULT '',
    fence       BIGINT NOT NULL DEFAULT 0,
    ended_at    BIGINT,
    doc         TEXT NOT NULL,
    PRIMARY KEY (owner, id)
);
CREATE INDEX import_by_status ON import (owner, status, id);
CREATE INDEX import_due ON import (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX import_ended ON import (ended_at) WHERE ended_at IS NOT NULL;

-- What is wrong with rows, in the order in which it was found.
CREATE TABLE import_error (
    owner      TEXT COLLATE "C" NOT NULL,
    import_id  TEXT COLLATE "C" NOT NULL,
    position   BIGINT NOT NULL,
    doc        TEXT NOT NULL,
    PRIMARY KEY (owner, import_id, position)
);

-- The fields of rows that were refused, as a JSON array, so that they can be corrected and sent again.
CREATE TABLE import_failed_row (
    owner       TEXT COLLATE "C" NOT NULL,
    import_id   TEXT COLLATE "C" NOT NULL,
    row_number  BIGINT NOT NULL,
    fields      TEXT NOT NULL,
    message     TEXT NOT NULL,
    PRIMARY KEY (owner, import_id, row_number)
);

-- The references of orders that a running import has read, by which it knows rows that are apart.
CREATE TABLE import_reference (
    owner      TEXT COLLATE "C" NOT NULL,
    import_id  TEXT COLLATE "C" NOT NULL,
    reference  TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (owner, import_id, reference)
);

SELECT protect('import');
SELECT protect('import_error');
SELECT protect('import_failed_row');
SELECT protect('import_reference');
