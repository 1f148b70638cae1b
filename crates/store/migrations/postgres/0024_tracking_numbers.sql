-- A carrier's message names a parcel by its tracking number. Nearly all shipments have one package and so one number, which
-- is found by the index on its first 100 characters; the numbers of a shipment with several packages are compared one by one.
ALTER TABLE purchase ADD COLUMN tracking_number TEXT COLLATE "C";
ALTER TABLE purchase ADD COLUMN numbers_count BIGINT NOT NULL DEFAULT 0;
-- PostgreSQL reads no JSON that has the character U+0000 in it.
UPDATE purchase SET tracking_number = substr(receipt::json #>> '{tracking_numbers,0}', 1, 100),
    numbers_count = coalesce(json_array_length(receipt::json -> 'tracking_numbers'), 0)
WHERE strpos(receipt, '\u0000') = 0;
CREATE INDEX purchase_by_number ON purchase (owner, tracking_number) WHERE state = 'bought';
CREATE INDEX purchase_of_pieces ON purchase (owner, account_id) WHERE state = 'bought' AND numbers_count > 1;
