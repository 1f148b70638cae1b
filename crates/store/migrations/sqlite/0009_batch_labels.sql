-- The labels of batches: for each batch whose labels were asked for, the work on them and how far it has come.

CREATE TABLE batch_labels (
    owner         TEXT NOT NULL,
    batch_id      TEXT NOT NULL,
    format        TEXT NOT NULL,
    -- The file with all of them, under an id that was made beforehand.
    document_id   TEXT NOT NULL,
    state         TEXT NOT NULL CHECK (state IN ('making', 'merging', 'made')),
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
    PRIMARY KEY (owner, batch_id)
);
CREATE INDEX batch_labels_due ON batch_labels (due_at) WHERE due_at IS NOT NULL;
