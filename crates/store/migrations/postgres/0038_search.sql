-- Filters of shipments and batches, and the index of the search.

-- When it was bought. Of older rows only the moment is known at which the purchase was last sent or requested.
ALTER TABLE shipment ADD COLUMN purchased_at BIGINT;
UPDATE shipment SET purchased_at = (
    SELECT coalesce(p.sent_at, p.created_at) FROM purchase p WHERE p.owner = shipment.owner AND p.shipment_id = shipment.id)
WHERE status IN ('purchased', 'voided');
CREATE INDEX shipment_by_purchased ON shipment (owner, purchased_at, id) WHERE purchased_at IS NOT NULL;
CREATE INDEX shipment_by_location ON shipment (owner, origin_id, id) WHERE origin_id IS NOT NULL;
CREATE INDEX batch_by_status ON batch (owner, status, id);

-- A kind and a value, such as 'carrier=sandbox', as orders have them.
CREATE TABLE shipment_facet (
    owner        TEXT COLLATE "C" NOT NULL,
    facet        TEXT COLLATE "C" NOT NULL,
    shipment_id  TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (owner, facet, shipment_id)
);
SELECT protect('shipment_facet');
-- PostgreSQL reads no JSON that has the character U+0000 in it. Metadata may have it, the fields that are read here can't.
WITH document AS (SELECT owner, id, replace(doc, '\u0000', '\u0001')::json AS doc FROM shipment)
INSERT INTO shipment_facet (owner, facet, shipment_id)
    SELECT owner, 'reference=' || (doc ->> 'name'), id FROM document WHERE doc ->> 'name' IS NOT NULL
    UNION ALL
    SELECT owner, 'carrier=' || coalesce(doc #>> '{service,carrier,handle}', doc #>> '{carrier,carrier_code}'), id FROM document
    WHERE coalesce(doc #>> '{service,carrier,handle}', doc #>> '{carrier,carrier_code}') IS NOT NULL
    UNION ALL
    SELECT owner, 'carrier_account=' || (doc #>> '{service,carrier_account,id}'), id FROM document
    WHERE doc #>> '{service,carrier_account,id}' IS NOT NULL
    UNION ALL
    SELECT owner, 'tracking_status=' || (doc ->> 'tracking_status'), id FROM document WHERE doc ->> 'tracking_status' <> 'unknown'
    UNION ALL
    SELECT owner, 'tracking_number=' || lower(replace(doc ->> 'tracking_number', ' ', '')), id FROM document
    WHERE doc ->> 'tracking_number' IS NOT NULL
    UNION ALL
    SELECT d.owner, 'tracking_number=' || lower(replace(p.value ->> 'tracking_number', ' ', '')), d.id
    FROM document d, json_array_elements(d.doc -> 'packages') AS p (value)
    WHERE json_typeof(p.value) = 'object' AND p.value ->> 'tracking_number' IS NOT NULL
ON CONFLICT DO NOTHING;

-- The terms by which a search finds resources. The kind is the prefix of the resource's id, and the age is the rest of it with
-- every bit inverted, so that the newest comes first. No foreign key: the rows follow from the resource's document, which is
-- written and deleted together with them.
CREATE TABLE search_term (
    owner  TEXT COLLATE "C" NOT NULL,
    kind   TEXT COLLATE "C" NOT NULL,
    term   TEXT COLLATE "C" NOT NULL,
    age    TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (owner, kind, term, age)
);
SELECT protect('search_term');

-- Resources that were stored before there were terms: how far a job has written theirs. A row is deleted when all are written.
CREATE TABLE search_fill (
    owner     TEXT COLLATE "C" NOT NULL,
    kind      TEXT COLLATE "C" NOT NULL,
    after_id  TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (owner, kind)
);
SELECT protect('search_fill');
INSERT INTO search_fill (owner, kind, after_id)
    SELECT DISTINCT owner, 'ord', '' FROM orders
    UNION ALL SELECT DISTINCT owner, 'inv', '' FROM inventory_item
    UNION ALL SELECT DISTINCT owner, 'shp', '' FROM shipment
    UNION ALL SELECT DISTINCT owner, 'batch', '' FROM batch
    UNION ALL SELECT DISTINCT owner, 'loc', '' FROM location;
