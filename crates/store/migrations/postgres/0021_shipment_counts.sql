-- Where step 0008 was applied later than step 0006, row level security hid all shipments from it, so what it derives from their
-- documents is missing. A shipment without packages can't be made, so the count tells which shipments those are; a shipment
-- that was changed since has all of it.
UPDATE shipment SET packages_count = coalesce(json_array_length(doc::json -> 'packages'), 0),
    errors_count = coalesce(json_array_length(doc::json -> 'errors'), 0),
    chosen = CASE
        WHEN doc::json #>> '{service,carrier,handle}' IS NOT NULL THEN
            (doc::json #>> '{service,carrier,handle}') || '/' || (doc::json #>> '{service,carrier_service,handle}') || '/'
            || (doc::json #>> '{service,carrier_account,id}')
        WHEN doc::json #>> '{carrier,service_code}' IS NOT NULL AND doc::json #>> '{carrier,carrier_code}' IS NOT NULL THEN
            (doc::json #>> '{carrier,carrier_code}') || '/' || (doc::json #>> '{carrier,service_code}') || '/'
    END
WHERE packages_count = 0;

-- Batches count what the columns of their shipments say.
UPDATE batch SET (packages_count, error_count) = (
    SELECT coalesce(sum(s.packages_count), 0), coalesce(sum(s.errors_count), 0) FROM shipment s
    WHERE s.owner = batch.owner AND s.batch_id = batch.id)
WHERE (packages_count, error_count) <> (
    SELECT coalesce(sum(s.packages_count), 0)::bigint, coalesce(sum(s.errors_count), 0)::bigint FROM shipment s
    WHERE s.owner = batch.owner AND s.batch_id = batch.id);
