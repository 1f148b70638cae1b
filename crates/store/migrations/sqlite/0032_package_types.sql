-- Boxes and envelopes that a merchant owns.
CREATE TABLE package_type (
    owner    TEXT NOT NULL,
    id       TEXT NOT NULL,
    handle   TEXT NOT NULL,
    version  BIGINT NOT NULL,
    doc      TEXT NOT NULL,
    PRIMARY KEY (owner, id)
);
CREATE UNIQUE INDEX package_type_by_handle ON package_type (owner, handle);

-- The locations that a package type names. One without any is available everywhere.
CREATE TABLE package_type_location (
    owner            TEXT NOT NULL,
    location_id      TEXT NOT NULL,
    package_type_id  TEXT NOT NULL,
    PRIMARY KEY (owner, location_id, package_type_id),
    FOREIGN KEY (owner, location_id) REFERENCES location (owner, id),
    FOREIGN KEY (owner, package_type_id) REFERENCES package_type (owner, id)
);
CREATE INDEX package_type_location_by_type ON package_type_location (owner, package_type_id);

-- The document is shown as it is stored, so its packages get the new fields.
UPDATE shipment SET doc = json_set(doc, '$.packages', json((
    SELECT json_group_array(json(CASE WHEN type = 'object'
        THEN json_set(value, '$.items', json('[]'), '$.package_type_id', NULL) ELSE value END))
    FROM json_each(shipment.doc, '$.packages'))))
WHERE json_type(doc, '$.packages') = 'array';
