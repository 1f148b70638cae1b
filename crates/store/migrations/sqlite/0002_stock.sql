-- Items, stock, orders, reservations and allocations.

CREATE TABLE inventory_item (
    owner    TEXT NOT NULL,
    id       TEXT NOT NULL,
    sku      TEXT NOT NULL,
    version  BIGINT NOT NULL,
    doc      TEXT NOT NULL,
    PRIMARY KEY (owner, id)
);
CREATE UNIQUE INDEX inventory_item_by_sku ON inventory_item (owner, sku);

-- What lies at a location. What is allocated there is not kept here but summed from the open allocations, so that
-- orders for the same item don't queue for one row.
CREATE TABLE inventory_level (
    owner        TEXT NOT NULL,
    item_id      TEXT NOT NULL,
    location_id  TEXT NOT NULL,
    on_hand      BIGINT NOT NULL CHECK (on_hand >= 0),
    updated_at   BIGINT NOT NULL,
    PRIMARY KEY (owner, item_id, location_id),
    FOREIGN KEY (owner, item_id) REFERENCES inventory_item (owner, id)
);
CREATE INDEX inventory_level_by_location ON inventory_level (owner, location_id, item_id);

-- Every change of a level: their sum is what is on hand.
CREATE TABLE inventory_change (
    owner          TEXT NOT NULL,
    id             TEXT NOT NULL,
    item_id        TEXT NOT NULL,
    location_id    TEXT NOT NULL,
    delta          BIGINT NOT NULL,
    on_hand        BIGINT NOT NULL CHECK (on_hand >= 0),
    reason         TEXT NOT NULL,
    allocation_id  TEXT,
    created_at     BIGINT NOT NULL,
    PRIMARY KEY (owner, id),
    FOREIGN KEY (owner, item_id, location_id) REFERENCES inventory_level (owner, item_id, location_id)
);
CREATE INDEX inventory_change_by_level ON inventory_change (owner, item_id, location_id, id);

-- "order" is a word of SQL, hence the plural.
CREATE TABLE orders (
    owner      TEXT NOT NULL,
    id         TEXT NOT NULL,
    version    BIGINT NOT NULL,
    status     TEXT NOT NULL CHECK (status IN ('draft', 'committed', 'fulfilled', 'cancelled')),
    reference  TEXT,
    doc        TEXT NOT NULL,
    PRIMARY KEY (owner, id)
);
CREATE INDEX orders_by_status ON orders (owner, status, id);
CREATE INDEX orders_by_reference ON orders (owner, reference, id);

-- What an order wants of each item, and how much of it is allocated: never more, whatever the code does.
CREATE TABLE order_line (
    owner      TEXT NOT NULL,
    order_id   TEXT NOT NULL,
    item_id    TEXT NOT NULL,
    place      BIGINT NOT NULL,
    quantity   BIGINT NOT NULL CHECK (quantity BETWEEN 1 AND 1000000),
    allocated  BIGINT NOT NULL,
    PRIMARY KEY (owner, order_id, item_id),
    FOREIGN KEY (owner, order_id) REFERENCES orders (owner, id),
    FOREIGN KEY (owner, item_id) REFERENCES inventory_item (owner, id),
    CHECK (0 <= allocated AND allocated <= quantity)
);
CREATE INDEX order_line_by_item ON order_line (owner, item_id);

-- A committed order's claim on stock; its items are the order's lines.
CREATE TABLE reservation (
    owner       TEXT NOT NULL,
    id          TEXT NOT NULL,
    order_id    TEXT NOT NULL,
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL,
    PRIMARY KEY (owner, id),
    FOREIGN KEY (owner, order_id) REFERENCES orders (owner, id)
);
CREATE UNIQUE INDEX reservation_by_order ON reservation (owner, order_id);

-- One item of an order, from one location. A completed one has taken its stock, where there was a level.
CREATE TABLE allocation (
    owner         TEXT NOT NULL,
    id            TEXT NOT NULL,
    order_id      TEXT NOT NULL,
    item_id       TEXT NOT NULL,
    location_id   TEXT NOT NULL,
    quantity      BIGINT NOT NULL CHECK (quantity BETWEEN 1 AND 1000000),
    completed_at  BIGINT,
    took_stock    BIGINT NOT NULL CHECK (took_stock IN (0, 1)),
    PRIMARY KEY (owner, id),
    FOREIGN KEY (owner, order_id, item_id) REFERENCES order_line (owner, order_id, item_id)
);
CREATE INDEX allocation_by_order ON allocation (owner, order_id, id);
CREATE INDEX allocation_by_location ON allocation (owner, location_id, id);
CREATE INDEX allocation_open ON allocation (owner, item_id, location_id, quantity) WHERE completed_at IS NULL;

-- Where post codes are, as the operator imported them. They belong to the installation: the owner is '*'.
CREATE TABLE postal_place (
    owner         TEXT NOT NULL,
    country_code  TEXT NOT NULL,
    post_code     TEXT NOT NULL,
    latitude      BIGINT NOT NULL,
    longitude     BIGINT NOT NULL,
    spread        BIGINT NOT NULL,
    PRIMARY KEY (owner, country_code, post_code)
);
