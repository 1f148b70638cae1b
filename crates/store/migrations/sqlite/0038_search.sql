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
    owner        TEXT NOT NULL,
    facet        TEXT NOT NULL,
    shipment_id  TEXT NOT NULL,
    PRIMARY KEY (owner, facet, shipment_id)
);
INSERT OR IGNORE INTO shipment_facet (owner, facet, shipment_id)
    SELECT owner, 'reference=' || json_extract(doc, '$.name'), id FROM shipment
    WHERE json_extract(doc, '$.name') IS NOT NULL
    UNION ALL
    SELECT owner, 'carrier=' || coalesce(json_extract(doc, '$.service.carrier.handle'), json_extract(doc, '$.carrier.carrier_code')), id
    FROM shipment
    WHERE coalesce(json_extract(doc, '$.service.carrier.handle'), json_extract(doc, '$.carrier.carrier_code')) IS NOT NULL
    UNION ALL
    SELECT owner, 'carrier_account=' || json_extract(doc, '$.service.carrier_account.id'), id FROM shipment
    WHERE json_extract(doc, '$.service.carrier_account.id') IS NOT NULL
    UNION ALL
    SELECT owner, 'tracking_status=' || json_extract(doc, '$.tracking_status'), id FROM shipment
    WHERE json_extract(doc, '$.tracking_status') <> 'unknown'
    UNION ALL
    SELECT owner, 'tracking_number=' || lower(replace(json_extract(doc, '$.tracking_number'), ' ', '')), id FROM shipment
    WHERE json_extract(doc, '$.tracking_number') IS NOT NULL
    UNION ALL
    SELECT s.owner, 'tracking_number=' || lower(replace(json_extract(p.value, '$.tracking_number'), ' ', '')), s.id
    FROM shipment s, json_each(s.doc, '$.packages') p
    WHERE p.type = 'object' AND json_extract(p.value, '$.tracking_number') IS NOT NULL;

-- The terms by which a search finds resources. The kind is the prefix of the resource's id, and the age is the rest of it with
-- every bit inverted, so that the newest comes first. No foreign key: the rows follow from the resource's document, which is
-- written and deleted together with them.
CREATE TABLE search_term (
    owner  TEXT NOT NULL,
    kind   TEXT NOT NULL,
    term   TEXT NOT NULL,
    age    TEXT NOT NULL,
    PRIMARY KEY (owner, kind, term, age)
) WITHOUT ROWID;

-- Resources that were stored before there were terms: how far a job has written theirs. A row is deleted when all are written.
CREATE TABLE search_fill (
    owner     TEXT NOT NULL,
    kind      TEXT NOT NULL,
    after_id  TEXT NOT NULL,
    PRIMARY KEY (owner, kind)
);
INSERT INTO search_fill (owner, kind, after_id)
    SELECT DISTINCT owner, 'ord', '' FROM orders
    UNION ALL SELECT DISTINCT owner, 'inv', '' FROM inventory_item
    UNION ALL SELECT DISTINCT owner, 'shp', '' FROM shipment
    UNION ALL SELECT DISTINCT owner, 'batch', '' FROM batch
    UNION ALL SELECT DISTINCT owner, 'loc', '' FROM location;
