-- Which access token made this one: revoking a token revokes what it made. One that a person or an older version made has none.
ALTER TABLE access_token ADD COLUMN creator_id TEXT;
UPDATE access_token SET creator_id = parent_id;
CREATE INDEX access_token_by_creator ON access_token (owner, creator_id);

-- The address of EasyPost is the operator's to set, and no longer an account's.
UPDATE carrier_account SET details = json_remove(details, '$.configuration.url')
WHERE carrier = 'easypost' AND json_extract(details, '$.configuration.url') IS NOT NULL;

-- The document is shown as it is stored, so it gets the new field. Endpoints of before get what they got.
UPDATE webhook_endpoint SET doc = substr(doc, 1, length(doc) - 1) || ',"resources":["*"]}';
