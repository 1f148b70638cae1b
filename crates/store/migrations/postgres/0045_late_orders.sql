-- Orders that are still to be shipped, by when: the summary counts those that are late, without those of all years before.
CREATE INDEX orders_to_ship_by ON orders (owner, ship_by) WHERE status = 'committed' AND ship_by IS NOT NULL;
