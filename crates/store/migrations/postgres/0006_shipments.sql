-- Carriers' accounts, shipments, and what was bought for them.

CREATE TABLE carrier_account (
    owner        TEXT COLLATE "C" NOT NULL,
    id           TEXT COLLATE "C" NOT NULL,
    version      BIGINT NOT NULL,
    -- The carrier's handle.
    carrier      TEXT COLLATE "C" NOT NULL,
    details      TEXT NOT NULL,
    -- Encrypted.
    credentials  BYTEA,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    PRIMARY KEY (owner, id)
);
-- A carrier that posts news of an account names only the account's id.
CREATE INDEX carrier_account_by_id ON carrier_account (id);
-- The test world of every organisation has an account with the sandbox carrier, ready for use.
-- Row level security shows organisations only to work that spans them.
SELECT set_config('dockside.owner', '*', true);
INSERT INTO carrier_account (owner, id, version, carrier, details, created_at, updated_at)
    SELECT owner || '_test', 'ca_' || substr(owner, 5), 1, 'sandbox', '{"name":"Sandbox","handle":"sandbox"}', created_at, created_at
    FROM organisation;

-- The document is what is shown, but for the files that belong to it.
CREATE TABLE shipment (
    owner             TEXT COLLATE "C" NOT NULL,
    id                TEXT COLLATE "C" NOT NULL,
    version           BIGINT NOT NULL,
    status            TEXT COLLATE "C" NOT NULL CHECK (status IN ('draft', 'rated', 'purchasing', 'purchased', 'purchase_failed', 'voided')),
    -- The location that it leaves from, as it was then.
    origin_id         TEXT COLLATE "C",
    origin_version    BIGINT,
    doc               TEXT NOT NULL,
    PRIMARY KEY (owner, id)
);
CREATE INDEX shipment_by_status ON shipment (owner, status, id);

-- What is bought for a shipment, once: the claiming node proves its claim with the fence. What is under way when a server
-- dies stays `calling`, so that no node buys it again on a guess. `due_at` tells when a node must look at it.
CREATE TABLE purchase (
    owner        TEXT COLLATE "C" NOT NULL,
    id           TEXT COLLATE "C" NOT NULL,
    shipment_id  TEXT COLLATE "C" NOT NULL,
    account_id   TEXT COLLATE "C" NOT NULL,
    -- The service's handle.
    service      TEXT COLLATE "C" NOT NULL,
    -- What the carrier is told to call it: the same for ever.
    reference    TEXT COLLATE "C" NOT NULL,
    state        TEXT COLLATE "C" NOT NULL CHECK (state IN ('ready', 'calling', 'checking', 'needs_review', 'bought', 'failed', 'voiding', 'voided')),
    holder       TEXT COLLATE "C" NOT NULL DEFAULT '',
    fence        BIGINT NOT NULL DEFAULT 0,
    -- The fence under which it was last sent, and when.
    sent_fence   BIGINT NOT NULL DEFAULT 0,
    sent_at      BIGINT,
    due_at       BIGINT,
    -- Failures one after another, and since when it is not known whether it was bought.
    failures     BIGINT NOT NULL DEFAULT 0,
    unknown_at   BIGINT,
    -- The carrier's own name of what was made known to it before buying.
    prepared     TEXT,
    receipt      TEXT,
    is_labelled  BIGINT NOT NULL DEFAULT 0 CHECK (is_labelled IN (0, 1)),
    error        TEXT,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    PRIMARY KEY (owner, id)
);
CREATE UNIQUE INDEX purchase_of_shipment ON purchase (owner, shipment_id);
CREATE INDEX purchase_due ON purchase (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX purchase_by_state ON purchase (owner, state, id);
CREATE INDEX purchase_by_account ON purchase (owner, account_id);

-- What a carrier said of a purchase to a server that had lost it meanwhile. Nothing about money is thrown away.
CREATE TABLE purchase_observation (
    owner        TEXT COLLATE "C" NOT NULL,
    purchase_id  TEXT COLLATE "C" NOT NULL,
    fence        BIGINT NOT NULL,
    doc          TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (owner, purchase_id, fence)
);

-- Where shipments were on their way, as carriers said.
CREATE TABLE tracking_event (
    owner        TEXT COLLATE "C" NOT NULL,
    shipment_id  TEXT COLLATE "C" NOT NULL,
    number       BIGINT NOT NULL,
    doc          TEXT NOT NULL,
    PRIMARY KEY (owner, shipment_id, number)
);

-- Messages of carriers that were taken, so that one that comes twice is taken once.
CREATE TABLE carrier_message (
    owner       TEXT COLLATE "C" NOT NULL,
    account_id  TEXT COLLATE "C" NOT NULL,
    message_id  TEXT COLLATE "C" NOT NULL,
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (owner, account_id, message_id)
);

-- The books of the sandbox carrier: on its side of the counter, not on ours.
CREATE TABLE sandbox_entry (
    owner      TEXT COLLATE "C" NOT NULL,
    reference  TEXT COLLATE "C" NOT NULL,
    number     BIGINT NOT NULL,
    doc        TEXT NOT NULL,
    PRIMARY KEY (owner, reference, number)
);
SELECT protect('carrier_account');
SELECT protect('shipment');
SELECT protect('purchase');
SELECT protect('purchase_observation');
SELECT protect('tracking_event');
SELECT protect('carrier_message');
SELECT protect('sandbox_entry');
