-- Shipments that are made from orders: which allocations a shipment holds, and what that means for stock.

ALTER TABLE shipment ADD COLUMN order_id TEXT;
CREATE INDEX shipment_by_order ON shipment (owner, order_id, id) WHERE order_id IS NOT NULL;

-- One column, so an allocation is in at most one shipment. A shipment that is voided or deleted no longer holds it.
ALTER TABLE allocation ADD COLUMN shipment_id TEXT;
-- The shipment whose purchase or hand-over completed the allocation.
ALTER TABLE allocation ADD COLUMN completed_by TEXT;
-- Whether the shipment is being bought or is bought.
ALTER TABLE allocation ADD COLUMN is_buying BIGINT NOT NULL DEFAULT 0 CHECK (is_buying IN (0, 1));
-- Whether the carrier reports the shipment as delivered.
ALTER TABLE allocation ADD COLUMN is_delivered BIGINT NOT NULL DEFAULT 0 CHECK (is_delivered IN (0, 1));
CREATE INDEX allocation_by_shipment ON allocation (owner, shipment_id) WHERE shipment_id IS NOT NULL;

-- Units of open allocations that are in shipments, and those of them that are being bought or are bought. They are sums, so
-- that a shipment need not count all others of its location.
ALTER TABLE inventory_level ADD COLUMN packed BIGINT NOT NULL DEFAULT 0 CHECK (packed >= 0);
ALTER TABLE inventory_level ADD COLUMN buying BIGINT NOT NULL DEFAULT 0 CHECK (buying BETWEEN 0 AND packed);

ALTER TABLE location_configuration ADD COLUMN is_default BIGINT NOT NULL DEFAULT 0 CHECK (is_default IN (0, 1));
ALTER TABLE location_configuration ADD COLUMN complete_allocations_on TEXT NOT NULL DEFAULT 'purchase'
    CHECK (complete_allocations_on IN ('purchase', 'hand_over'));
CREATE UNIQUE INDEX location_configuration_default ON location_configuration (owner, origin_id) WHERE is_default = 1;

-- The last shipment of a created manifest that was recorded as handed over: '' before the first, null when all are.
ALTER TABLE manifest ADD COLUMN handed_over_to TEXT;
CREATE INDEX manifest_to_hand_over ON manifest (owner, id) WHERE handed_over_to IS NOT NULL;

-- What the shipping rules decided when a shipment was made, rule by rule.
CREATE TABLE shipment_evaluation (
    owner        TEXT NOT NULL,
    shipment_id  TEXT NOT NULL,
    doc          TEXT NOT NULL,
    PRIMARY KEY (owner, shipment_id),
    FOREIGN KEY (owner, shipment_id) REFERENCES shipment (owner, id) ON DELETE CASCADE
);

-- Documents are shown as they are stored, so they get the new fields.
UPDATE shipment SET doc = substr(doc, 1, length(doc) - 1)
    || ',"order_id":null,"complete_allocations_on":null,"handed_over_at":null,"rule_id":null}';
