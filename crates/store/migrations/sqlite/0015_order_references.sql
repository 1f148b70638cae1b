-- What an organisation has set, in each of its worlds. An owner without a row has set nothing.
CREATE TABLE organisation_setting (
    owner                    TEXT NOT NULL,
    version                  BIGINT NOT NULL,
    unique_order_references  BIGINT NOT NULL,
    updated_at               BIGINT NOT NULL,
    PRIMARY KEY (owner)
);

-- The references of an owner's orders, while they must be unique: the key is what makes them so.
CREATE TABLE order_reference (
    owner      TEXT NOT NULL,
    reference  TEXT NOT NULL,
    order_id   TEXT NOT NULL,
    PRIMARY KEY (owner, reference)
);
