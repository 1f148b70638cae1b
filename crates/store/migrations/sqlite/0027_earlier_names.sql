-- The carrier's id of a shipment that an attempt has prepared outlives the attempt, so that the carrier can refuse to sell the
-- same shipment twice. The digest says which contents were prepared.
ALTER TABLE purchase ADD COLUMN prepared_digest TEXT;
ALTER TABLE purchase ADD COLUMN earlier_prepared TEXT;
ALTER TABLE purchase ADD COLUMN earlier_digest TEXT;
