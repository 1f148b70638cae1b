-- Manifests: what carriers take over together, of one account, from one place, on one day.

CREATE TABLE manifest (
    owner            TEXT NOT NULL,
    id               TEXT NOT NULL,
    version          BIGINT NOT NULL,
    status           TEXT NOT NULL CHECK (status IN ('creating', 'created', 'failed')),
    account_id       TEXT NOT NULL,
    -- The carrier's handle.
    carrier          TEXT NOT NULL,
    -- The location that its shipments leave from; none where they were given an address.
    location_id      TEXT,
    ship_date        TEXT NOT NULL,
    details          TEXT NOT NULL,
    -- The id of its document, made beforehand: a node that draws it again leaves nothing behind.
    document_id      TEXT NOT NULL,
    shipments_count  BIGINT NOT NULL CHECK (shipments_count >= 0),
    packages_count   BIGINT NOT NULL CHECK (packages_count >= 0),
    -- Which node works on it, as with purchases; and when a node must.
    holder           TEXT NOT NULL DEFAULT '',
    fence            BIGINT NOT NULL DEFAULT 0,
    due_at           BIGINT,
    failures         BIGINT NOT NULL DEFAULT 0,
    -- When the carrier was first asked for it as it is now.
    begun_at         BIGINT NOT NULL,
    created_at       BIGINT NOT NULL,
    updated_at       BIGINT NOT NULL,
    PRIMARY KEY (owner, id)
);
CREATE INDEX manifest_due ON manifest (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX manifest_by_location ON manifest (owner, location_id, id);
CREATE INDEX manifest_by_status ON manifest (owner, status, id);

-- What a manifest lists. Of a failed one the list stays, and the shipments are released.
CREATE TABLE manifest_shipment (
    owner        TEXT NOT NULL,
    manifest_id  TEXT NOT NULL,
    shipment_id  TEXT NOT NULL,
    is_released  BIGINT NOT NULL DEFAULT 0 CHECK (is_released IN (0, 1)),
    PRIMARY KEY (owner, manifest_id, shipment_id)
);
-- A shipment is in at most one manifest.
CREATE UNIQUE INDEX manifest_of_shipment ON manifest_shipment (owner, shipment_id) WHERE is_released = 0;
CREATE INDEX manifest_shipment_by_shipment ON manifest_shipment (owner, shipment_id);

-- The manifest that it is in, so that what is in none yet is found without looking at all that ever was.
ALTER TABLE purchase ADD COLUMN manifest_id TEXT;
CREATE INDEX purchase_to_manifest ON purchase (owner, shipment_id) WHERE state = 'bought' AND manifest_id IS NULL;
CREATE INDEX purchase_of_manifest ON purchase (owner, manifest_id) WHERE manifest_id IS NOT NULL;

-- When the parcels of a configuration's origin are manifested by themselves, and when next.
ALTER TABLE location_configuration ADD COLUMN closing TEXT;
ALTER TABLE location_configuration ADD COLUMN closes_at BIGINT;
CREATE INDEX location_configuration_to_close ON location_configuration (closes_at) WHERE closes_at IS NOT NULL;
