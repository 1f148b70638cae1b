-- Purchases are confirmed once their labels are stored. Labels that a carrier delivers later are counted.

-- Whether it is purchased and its carrier delivers the label later.
ALTER TABLE shipment ADD COLUMN label_pending BIGINT NOT NULL DEFAULT 0 CHECK (label_pending IN (0, 1));
-- Of its shipments, kept exact by whichever transaction changes one.
ALTER TABLE batch ADD COLUMN labels_pending_count BIGINT NOT NULL DEFAULT 0 CHECK (labels_pending_count >= 0);
-- Whether labels were pending since `batch.labels_ready` was last sent.
ALTER TABLE batch ADD COLUMN labels_awaited BIGINT NOT NULL DEFAULT 0 CHECK (labels_awaited IN (0, 1));
-- Whether its shipment is shown as purchased, so that only follow-up is left: a late label, duplicates, tracking.
ALTER TABLE purchase ADD COLUMN is_follow_up BIGINT NOT NULL DEFAULT 0 CHECK (is_follow_up IN (0, 1));

UPDATE purchase SET is_follow_up = 1 WHERE state = 'bought' AND EXISTS (
    SELECT 1 FROM shipment s WHERE s.owner = purchase.owner AND s.id = purchase.shipment_id AND s.status <> 'purchasing');
UPDATE shipment SET label_pending = 1 WHERE status = 'purchased' AND EXISTS (
    SELECT 1 FROM purchase p WHERE p.owner = shipment.owner AND p.shipment_id = shipment.id AND p.is_labelled = 0);
-- The document is shown as it is stored, so it gets the new fields.
UPDATE shipment SET doc = substr(doc, 1, length(doc) - 1) || ',"cost":' || coalesce((
        SELECT '{"amount":' || (json_extract(p.receipt, '$.charged')) || ',"currency_code":"' || (json_extract(p.receipt, '$.currency')) || '"}'
        FROM purchase p WHERE p.owner = shipment.owner AND p.shipment_id = shipment.id
        AND shipment.status IN ('purchased', 'voided') AND (json_extract(p.receipt, '$.currency')) <> ''), 'null')
    || ',"label_pending":' || CASE label_pending WHEN 1 THEN 'true' ELSE 'false' END || '}';
UPDATE batch SET labels_pending_count = (
    SELECT count(*) FROM shipment s WHERE s.owner = batch.owner AND s.batch_id = batch.id AND s.label_pending = 1);
UPDATE batch SET labels_awaited = 1 WHERE labels_pending_count > 0;

-- Purchases that are bought and not shown as such come before follow-up.
DROP INDEX purchase_due;
DROP INDEX purchase_to_follow;
CREATE INDEX purchase_due ON purchase (due_at) WHERE due_at IS NOT NULL AND is_follow_up = 0;
CREATE INDEX purchase_to_follow ON purchase (due_at) WHERE due_at IS NOT NULL AND is_follow_up = 1;
