-- The mailing date of a purchase, as in 2026-11-19: it is decided with the intent to buy, so that a repeated request has the same
-- bytes. Null in purchases of earlier versions.
ALTER TABLE purchase ADD COLUMN ship_on TEXT COLLATE "C";
