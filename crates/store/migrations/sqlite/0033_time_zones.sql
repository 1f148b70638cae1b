-- Days and times of shipping rules are meant in a time zone: the location's, else the organisation's.
ALTER TABLE organisation_setting ADD COLUMN time_zone TEXT NOT NULL DEFAULT 'UTC';
-- The document is shown as it is stored, so it gets the new field. No other key of a location is called `created_at` and has
-- a text as its value.
UPDATE location SET doc = replace(doc, ',"created_at":"', ',"time_zone":null,"created_at":"');
