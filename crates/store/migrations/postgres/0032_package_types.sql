-- Boxes and envelopes that a merchant owns.
CREATE TABLE package_type (
    owner    TEXT COLLATE "C" NOT NULL,
    id       TEXT COLLATE "C" NOT NULL,
    handle   TEXT COLLATE "C" NOT NULL,
    version  BIGINT NOT NULL,
    doc      TEXT NOT NULL,
    PRIMARY KEY (owner, id)
);
CREATE UNIQUE INDEX package_type_by_handle ON package_type (owner, handle);

-- The locations that a package type names. One without any is available everywhere.
CREATE TABLE package_type_location (
    owner            TEXT COLLATE "C" NOT NULL,
    location_id      TEXT COLLATE "C" NOT NULL,
    package_type_id  TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (owner, location_id, package_type_id),
    FOREIGN KEY (owner, location_id) REFERENCES location (owner, id),
    FOREIGN KEY (owner, package_type_id) REFERENCES package_type (owner, id)
);
CREATE INDEX package_type_location_by_type ON package_type_location (owner, package_type_id);

SELECT protect('package_type');
SELECT protect('package_type_location');

-- The document is shown as it is stored, so its packages get the new fields. The text of the packages is replaced in the
-- text of the document, which keeps every number as it is written. PostgreSQL reads no JSON that has the character U+0000
-- in it, so another one stands there while the packages are taken apart. Metadata may have it, packages can't.
UPDATE shipment SET doc = replace(doc, '"packages":' || old.packages, '"packages":' || old.changed)
FROM (
    SELECT s.owner, s.id, (s.doc::json -> 'packages')::text AS packages, (
        SELECT '[' || string_agg(CASE WHEN left(entry.value::text, 1) = '{'
            THEN left(entry.value::text, -1) || ',"items":[],"package_type_id":null}' ELSE entry.value::text END,
            ',' ORDER BY entry.place) || ']'
        FROM json_array_elements(s.doc::json -> 'packages') WITH ORDINALITY AS entry (value, place)) AS changed
    FROM (SELECT owner, id, replace(doc, '\u0000', '\u0001') AS doc FROM shipment) s
) old
WHERE old.owner = shipment.owner AND old.id = shipment.id AND old.changed IS NOT NULL;
