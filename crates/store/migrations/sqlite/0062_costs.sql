-- What the carrier charged for a shipment, in the smallest unit of the currency, as its document shows it. The cost report sums it.
ALTER TABLE shipment ADD COLUMN cost_amount BIGINT;
ALTER TABLE shipment ADD COLUMN cost_currency TEXT;
UPDATE shipment SET cost_amount = json_extract(doc, '$.cost.amount'), cost_currency = json_extract(doc, '$.cost.currency_code')
WHERE purchased_at IS NOT NULL;

-- The index has all that the cost report reads, so that the report reads no documents.
DROP INDEX shipment_by_purchased;
CREATE INDEX shipment_by_purchased
    ON shipment (owner, purchased_at, id, status, chosen, origin_id, cost_currency, cost_amount)
    WHERE purchased_at IS NOT NULL;

-- Labels that a carrier sold a second time for a shipment, once the carrier has decided whether it takes them back. What the report
-- groups by is copied from the shipment.
CREATE TABLE duplicate_charge (
    owner             TEXT NOT NULL,
    shipment_id       TEXT NOT NULL,
    -- The carrier's id of the second purchase.
    carrier_purchase  TEXT NOT NULL,
    -- When the shipment was bought.
    purchased_at      BIGINT NOT NULL,
    chosen            TEXT,
    origin_id         TEXT,
    -- Null if the carrier stated no amount.
    cost_amount       BIGINT,
    cost_currency     TEXT,
    is_voided         BIGINT NOT NULL,
    PRIMARY KEY (owner, shipment_id, carrier_purchase)
);
CREATE INDEX duplicate_charge_by_purchased ON duplicate_charge (owner, purchased_at);
