-- What an organisation has set, in each of its worlds. An owner without a row has set nothing.
CREATE TABLE organisation_setting (
    owner                    TEXT COLLATE "C" NOT NULL,
    version                  BIGINT NOT NULL,
    unique_order_references  BIGINT NOT NULL,
    updated_at               BIGINT NOT NULL,
    PRIMARY KEY (owner)
);

-- The references of an owner's orders, while they must be unique: the key is what makes them so.
CREATE TABLE order_reference (
    owner      TEXT COLLATE "C" NOT NULL,
    reference  TEXT COLLATE "C" NOT NULL,
    order_id   TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (owner, reference)
);

SELECT protect('organisation_setting');
SELECT protect('order_reference');

-- The name of an organisation is the same in both its worlds, and stands under the organisation itself.
CREATE POLICY test_world_reads ON organisation FOR SELECT
    USING (owner || '_test' = current_setting('dockside.owner', true));
