-- What is deleted for its age: since when each row is old, and how the oldest are found.

-- The quantity on hand before the oldest change that is kept, and whether older changes were deleted.
ALTER TABLE inventory_level ADD COLUMN history_from BIGINT NOT NULL DEFAULT 0;
ALTER TABLE inventory_level ADD COLUMN is_history_pruned BIGINT NOT NULL DEFAULT 0 CHECK (is_history_pruned IN (0, 1));

-- When Dockside heard of it. Of older rows only the moment that is shown is known.
ALTER TABLE tracking_event ADD COLUMN created_at BIGINT NOT NULL DEFAULT 0;
UPDATE tracking_event SET created_at = coalesce(CAST(strftime('%s', json_extract(doc, '$.occurred_at')) AS BIGINT) * 1000000, 0);
CREATE INDEX tracking_event_old ON tracking_event (created_at);

-- When another version took its place, or the location was deleted. Of older rows only the moment is known at which they became the
-- current version.
ALTER TABLE location_version ADD COLUMN replaced_at BIGINT NOT NULL DEFAULT 0;
UPDATE location_version SET replaced_at = coalesce(CAST(strftime('%s', json_extract(doc, '$.updated_at')) AS BIGINT) * 1000000, 0);
CREATE INDEX location_version_old ON location_version (replaced_at);
-- The versions that shipments pin.
CREATE INDEX shipment_by_origin ON shipment (owner, origin_id, origin_version) WHERE origin_id IS NOT NULL;

CREATE INDEX purchase_observation_old ON purchase_observation (created_at);
CREATE INDEX access_token_ended ON access_token (expires_at) WHERE parent_id IS NULL;
