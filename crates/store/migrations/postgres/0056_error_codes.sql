-- The codes of a shipment's errors, one word for each error, from which batches count errors by code. Null without errors.
ALTER TABLE shipment ADD COLUMN error_codes TEXT COLLATE "C";
UPDATE shipment SET error_codes = (
    SELECT string_agg(error ->> 'code', ' ') FROM json_array_elements(doc::json -> 'errors') AS error
) WHERE errors_count > 0;
CREATE INDEX shipment_error_codes ON shipment (owner, batch_id, error_codes)
    WHERE batch_id IS NOT NULL AND error_codes IS NOT NULL;

-- What the person said who resolved a purchase that needed review.
ALTER TABLE purchase ADD COLUMN resolution_note TEXT;
