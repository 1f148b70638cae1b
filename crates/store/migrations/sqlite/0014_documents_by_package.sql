-- Documents say which package they are for, and the labels of a batch can be made in several formats.

-- The number of the package in its shipment, from 1 on; none where a file is not for one package.
ALTER TABLE document ADD COLUMN package_number BIGINT;

-- The work is one row for each format now. SQLite can't change a key, so the table is written anew.
CREATE TABLE batch_labels_by_format (
    owner         TEXT NOT NULL,
    batch_id      TEXT NOT NULL,
    format        TEXT NOT NULL,
    -- The file with all of them, under an id that was made beforehand.
    document_id   TEXT NOT NULL,
    state         TEXT NOT NULL CHECK (state IN ('making', 'merging', 'made', 'refused')),
    -- The last of its shipments up to which all have their labels; empty where none is.
    made_to       TEXT NOT NULL DEFAULT '',
    labels_count  BIGINT NOT NULL DEFAULT 0,
    -- When its progress was last told of.
    told_at       BIGINT NOT NULL DEFAULT 0,
    -- The node that works on it, and how often it changed hands.
    holder        TEXT NOT NULL DEFAULT '',
    fence         BIGINT NOT NULL DEFAULT 0,
    failures      BIGINT NOT NULL DEFAULT 0,
    -- None where there is nothing left to do.
    due_at        BIGINT,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL,
    -- The shipments whose labels can't be had in this format, as JSON: the first of them.
    refused       TEXT NOT NULL DEFAULT '[]',
    PRIMARY KEY (owner, batch_id, format)
);
INSERT INTO batch_labels_by_format (owner, batch_id, format, document_id, state, made_to, labels_count, told_at,
    holder, fence, failures, due_at, created_at, updated_at)
SELECT owner, batch_id, format, document_id, state, made_to, labels_count, told_at,
    holder, fence, failures, due_at, created_at, updated_at FROM batch_labels;
DROP TABLE batch_labels;
ALTER TABLE batch_labels_by_format RENAME TO batch_labels;
CREATE INDEX batch_labels_due ON batch_labels (due_at) WHERE due_at IS NOT NULL;
