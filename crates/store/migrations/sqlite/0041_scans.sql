-- Scans: what packers scanned for a shipment. The document is what is shown, except for the packages in which the units count.
-- `scan_id` is the client's own, `id` sorts by age. `print_due_at` is when a server looks for the label that is to be printed.
CREATE TABLE scan (
    owner         TEXT NOT NULL,
    shipment_id   TEXT NOT NULL,
    scan_id       TEXT NOT NULL,
    id            TEXT NOT NULL,
    print_due_at  BIGINT,
    doc           TEXT NOT NULL,
    PRIMARY KEY (owner, shipment_id, scan_id),
    FOREIGN KEY (owner, shipment_id) REFERENCES shipment (owner, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX scan_by_age ON scan (owner, shipment_id, id);
CREATE INDEX scan_to_print ON scan (print_due_at) WHERE print_due_at IS NOT NULL;

-- The units that a scan counted, package by package. `place` numbers the rows of a scan.
CREATE TABLE scan_unit (
    owner        TEXT NOT NULL,
    shipment_id  TEXT NOT NULL,
    scan_id      TEXT NOT NULL,
    place        BIGINT NOT NULL,
    package      BIGINT NOT NULL CHECK (package > 0),
    item_id      TEXT NOT NULL,
    quantity     BIGINT NOT NULL CHECK (quantity > 0),
    PRIMARY KEY (owner, shipment_id, scan_id, place),
    FOREIGN KEY (owner, shipment_id, scan_id) REFERENCES scan (owner, shipment_id, scan_id) ON DELETE CASCADE
);
CREATE INDEX scan_unit_by_package ON scan_unit (owner, shipment_id, package, item_id, quantity);

-- A scanned code may be that of a bin.
CREATE INDEX inventory_level_by_bin ON inventory_level (owner, location_id, bin) WHERE bin IS NOT NULL;

-- Documents are shown as they are stored, so they get the new field.
UPDATE shipment SET doc = substr(doc, 1, length(doc) - 1) || ',"packed_at":null}';
