-- Batches: shipments that are bought, labelled and handed over together.

CREATE TABLE batch (
    owner            TEXT COLLATE "C" NOT NULL,
    id               TEXT COLLATE "C" NOT NULL,
    version          BIGINT NOT NULL,
    status           TEXT COLLATE "C" NOT NULL CHECK (status IN ('open', 'purchasing', 'purchased', 'partially_purchased', 'purchase_failed')),
    -- What a client said of it, but for its shipments.
    details          TEXT COLLATE "C" NOT NULL,
    -- Of its shipments, kept exact by each transaction that changes one.
    shipments_count  BIGINT NOT NULL DEFAULT 0 CHECK (shipments_count >= 0),
    purchased_count  BIGINT NOT NULL DEFAULT 0 CHECK (purchased_count >= 0),
    error_count      BIGINT NOT NULL DEFAULT 0 CHECK (error_count >= 0),
    packages_count   BIGINT NOT NULL DEFAULT 0 CHECK (packages_count >= 0),
    -- While it is bought: the last of its shipments whose purchase was written down; none where all were.
    begun_to         TEXT COLLATE "C",
    -- When its progress was last told of.
    told_at          BIGINT NOT NULL DEFAULT 0,
    created_at       BIGINT NOT NULL,
    updated_at       BIGINT NOT NULL,
    PRIMARY KEY (owner, id)
);
CREATE INDEX batch_to_begin ON batch (owner, id) WHERE begun_to IS NOT NULL;

-- A shipment is in at most one batch, because it has one place for it.
ALTER TABLE shipment ADD COLUMN batch_id TEXT COLLATE "C";
ALTER TABLE shipment ADD COLUMN packages_count BIGINT NOT NULL DEFAULT 0;
ALTER TABLE shipment ADD COLUMN errors_count BIGINT NOT NULL DEFAULT 0;
-- The service that it chose or asks for: the handles of its carrier and service, and the account's id where that is known.
ALTER TABLE shipment ADD COLUMN chosen TEXT COLLATE "C";
UPDATE shipment SET packages_count = json_array_length(doc::json -> 'packages'), errors_count = json_array_length(doc::json -> 'errors'),
    chosen = CASE
        WHEN doc::json #>> '{service,carrier,handle}' IS NOT NULL THEN
            (doc::json #>> '{service,carrier,handle}') || '/' || (doc::json #>> '{service,carrier_service,handle}') || '/'
            || (doc::json #>> '{service,carrier_account,id}')
        WHEN doc::json #>> '{carrier,service_code}' IS NOT NULL AND doc::json #>> '{carrier,carrier_code}' IS NOT NULL THEN
            (doc::json #>> '{carrier,carrier_code}') || '/' || (doc::json #>> '{carrier,service_code}') || '/'
    END;
CREATE INDEX shipment_of_batch ON shipment (owner, batch_id, id) WHERE batch_id IS NOT NULL;
CREATE INDEX shipment_with_errors ON shipment (owner, batch_id, id) WHERE batch_id IS NOT NULL AND errors_count > 0;

-- The batch that waits for it, until it is known what came of it.
ALTER TABLE purchase ADD COLUMN batch_id TEXT COLLATE "C";
-- The format in which the batch wants labels.
ALTER TABLE purchase ADD COLUMN label_format TEXT COLLATE "C";
CREATE INDEX purchase_of_batch ON purchase (owner, batch_id) WHERE batch_id IS NOT NULL;
-- What is to be bought does not wait behind what is to be tracked.
DROP INDEX purchase_due;
CREATE INDEX purchase_due ON purchase (due_at) WHERE due_at IS NOT NULL AND state <> 'bought';
CREATE INDEX purchase_to_follow ON purchase (due_at) WHERE due_at IS NOT NULL AND state = 'bought';

SELECT protect('batch');
