-- What the carrier charged for a shipment, in the smallest unit of the currency, as its document shows it. The cost report sums it.
ALTER TABLE shipment ADD COLUMN cost_amount BIGINT;
ALTER TABLE shipment ADD COLUMN cost_currency TEXT COLLATE "C";
-- PostgreSQL reads no JSON that has the character U+0000 in it. Metadata may have it, the fields that are read here can't.
WITH document AS (
    SELECT owner, id, replace(doc, '\u0000', '\u0001')::json #> '{cost}' AS cost FROM shipment WHERE purchased_at IS NOT NULL)
UPDATE shipment SET cost_amount = (document.cost ->> 'amount')::bigint, cost_currency = document.cost ->> 'currency_code'
FROM document
WHERE shipment.owner = document.owner AND shipment.id = document.id AND json_typeof(document.cost) = 'object';

-- The index has all that the cost report reads, so that the report reads no documents.
DROP INDEX shipment_by_purchased;
CREATE INDEX shipment_by_purchased
    ON shipment (owner, purchased_at, id, status, chosen, origin_id, cost_currency, cost_amount)
    WHERE purchased_at IS NOT NULL;

-- Labels that a carrier sold a second time for a shipment, once the carrier has decided whether it takes them back. What the report
-- groups by is copied from the shipment.
CREATE TABLE duplicate_charge (
    owner             TEXT COLLATE "C" NOT NULL,
    shipment_id       TEXT COLLATE "C" NOT NULL,
    -- The carrier's id of the second purchase.
    carrier_purchase  TEXT COLLATE "C" NOT NULL,
    -- When the shipment was bought.
    purchased_at      BIGINT NOT NULL,
    chosen            TEXT COLLATE "C",
    origin_id         TEXT COLLATE "C",
    -- Null if the carrier stated no amount.
    cost_amount       BIGINT,
    cost_currency     TEXT COLLATE "C",
    is_voided         BIGINT NOT NULL,
    PRIMARY KEY (owner, shipment_id, carrier_purchase)
);
CREATE INDEX duplicate_charge_by_purchased ON duplicate_charge (owner, purchased_at);
SELECT protect('duplicate_charge');
