-- What items and levels say for packing and reordering, and filters over items.

-- The name with the letters A to Z in lower case, by which a list is filtered.
ALTER TABLE inventory_item ADD COLUMN name_key TEXT COLLATE "C" NOT NULL DEFAULT '';
-- PostgreSQL reads no JSON that has the character U+0000 in it. Metadata may have it, names can't.
UPDATE inventory_item SET name_key = translate(
    replace(doc, '\u0000', '\u0001')::json ->> 'name', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz');
CREATE INDEX inventory_item_by_name ON inventory_item (owner, name_key, id);
-- The document is shown as it is stored, so it gets the new fields.
UPDATE inventory_item SET doc = substr(doc, 1, length(doc) - 1)
    || ',"barcodes":[],"unit_value":null,"currency_code":null,"customs_description":null,"ships_alone":false,"keep_upright":false,"tags":[]}';

-- The barcodes of items in the form in which they are compared. The key decides between two items at the same moment.
CREATE TABLE inventory_barcode (
    owner    TEXT COLLATE "C" NOT NULL,
    code     TEXT COLLATE "C" NOT NULL,
    item_id  TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (owner, code),
    FOREIGN KEY (owner, item_id) REFERENCES inventory_item (owner, id)
);
CREATE INDEX inventory_barcode_by_item ON inventory_barcode (owner, item_id);
SELECT protect('inventory_barcode');

ALTER TABLE inventory_level ADD COLUMN bin TEXT;
ALTER TABLE inventory_level ADD COLUMN reorder_point BIGINT CHECK (reorder_point >= 0);
-- Whether no more is on hand than the reorder point. A column, because PostgreSQL would write every index again with each
-- change of a quantity if an index named the quantity.
ALTER TABLE inventory_level ADD COLUMN is_low BIGINT NOT NULL DEFAULT 0
    CHECK (is_low = CASE WHEN on_hand <= reorder_point THEN 1 ELSE 0 END);
CREATE INDEX inventory_level_low ON inventory_level (owner, item_id) WHERE is_low = 1;
