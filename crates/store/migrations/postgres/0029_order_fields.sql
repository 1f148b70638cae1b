-- What orders are found by: columns for what every order has, facets for the rest.

ALTER TABLE orders ADD COLUMN placed_at BIGINT;
ALTER TABLE orders ADD COLUMN ship_by BIGINT;
-- When the hold ends by itself.
ALTER TABLE orders ADD COLUMN hold_until BIGINT;
CREATE INDEX orders_by_placed ON orders (owner, placed_at, id) WHERE placed_at IS NOT NULL;
CREATE INDEX orders_by_ship_by ON orders (owner, ship_by, id) WHERE ship_by IS NOT NULL;
CREATE INDEX orders_hold_due ON orders (hold_until) WHERE hold_until IS NOT NULL;

-- A kind and a value, such as 'tag=gift'. No foreign key: the rows follow from the order's document, which is written and
-- deleted together with them, and a key would need an index more.
CREATE TABLE order_facet (
    owner     TEXT COLLATE "C" NOT NULL,
    facet     TEXT COLLATE "C" NOT NULL,
    order_id  TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (owner, facet, order_id)
);
SELECT protect('order_facet');
-- Lines that wait for an item with their SKU, of all organisations.
CREATE INDEX order_facet_unmatched ON order_facet (owner, facet, order_id)
    WHERE facet >= 'unmatched_sku=' AND facet < 'unmatched_sku>';

-- Orders of an item and of a location, in the order of their ids.
DROP INDEX order_line_by_item;
CREATE INDEX order_line_by_item ON order_line (owner, item_id, order_id);
CREATE INDEX allocation_by_location_and_order ON allocation (owner, location_id, order_id, id);

-- The document is shown as it is stored, so it gets the new fields.
UPDATE orders SET doc = substr(doc, 1, length(doc) - 1) || ',"lines":[],"customer":null,"channel":null,"source":null,'
    || '"placed_at":null,"ship_by":null,"requested_service":null,"currency_code":null,"tags":[],'
    || '"status_when_matched":null,"hold":null,"notes":[],"exceptions":[]}';
