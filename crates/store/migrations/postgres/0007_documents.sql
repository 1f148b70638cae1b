-- Documents: files that belong to a shipment, a batch or a manifest. The bytes are in the file store, at `place`.

CREATE TABLE document (
    owner       TEXT COLLATE "C" NOT NULL,
    id          TEXT COLLATE "C" NOT NULL,
    -- The id of what it belongs to. No foreign key, since that may be one of several tables.
    subject     TEXT COLLATE "C" NOT NULL,
    type        TEXT COLLATE "C" NOT NULL,
    file_name   TEXT NOT NULL,
    file_type   TEXT NOT NULL,
    file_size   BIGINT NOT NULL,
    place       TEXT COLLATE "C" NOT NULL,
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL,
    PRIMARY KEY (owner, id)
);
CREATE INDEX document_by_subject ON document (owner, subject, id);

SELECT protect('document');
