-- Webhooks: where events are posted to, how far each endpoint has come, and what became of every delivery.

-- A running server, as long as it says so. What it holds is free for others once it stopped saying so.
CREATE TABLE node (
    owner        TEXT COLLATE "C" NOT NULL,
    id           TEXT COLLATE "C" NOT NULL,
    alive_until  BIGINT NOT NULL,
    PRIMARY KEY (owner, id)
);

CREATE TABLE webhook_endpoint (
    owner    TEXT COLLATE "C" NOT NULL,
    id       TEXT COLLATE "C" NOT NULL,
    version  BIGINT NOT NULL,
    doc      TEXT NOT NULL,
    -- Encrypted: the secrets that sign, newest first.
    secrets  BYTEA NOT NULL,
    PRIMARY KEY (owner, id)
);

-- The way of events to one endpoint: apart from the endpoint, because it changes with every delivery. Everything up
-- to the cursor was sent, skipped, or set aside as a delivery of its own. The holding node proves its claim with the fence.
CREATE TABLE webhook_lane (
    owner          TEXT COLLATE "C" NOT NULL,
    endpoint_id    TEXT COLLATE "C" NOT NULL,
    cursor         BIGINT NOT NULL,
    is_open        BIGINT NOT NULL CHECK (is_open IN (0, 1)),
    failures       BIGINT NOT NULL DEFAULT 0,
    failing_since  BIGINT,
    paused_until   BIGINT NOT NULL DEFAULT 0,
    retry_at       BIGINT,
    holder         TEXT COLLATE "C" NOT NULL DEFAULT '',
    fence          BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (owner, endpoint_id),
    FOREIGN KEY (owner, endpoint_id) REFERENCES webhook_endpoint (owner, id) ON DELETE CASCADE
);

-- Not tied to its endpoint by a key: an endpoint goes at once, its deliveries are cleaned away later, in portions.
CREATE TABLE webhook_delivery (
    owner            TEXT COLLATE "C" NOT NULL,
    endpoint_id      TEXT COLLATE "C" NOT NULL,
    id               TEXT COLLATE "C" NOT NULL,
    event_id         TEXT COLLATE "C" NOT NULL,
    event_type       TEXT COLLATE "C" NOT NULL,
    sequence         BIGINT,
    status           TEXT COLLATE "C" NOT NULL CHECK (status IN ('pending', 'succeeded', 'retrying', 'failed')),
    attempt          BIGINT NOT NULL,
    next_attempt_at  BIGINT,
    attempts         TEXT NOT NULL,
    -- The body to post, where it is not an event of the log.
    payload          TEXT,
    created_at       BIGINT NOT NULL,
    updated_at       BIGINT NOT NULL,
    PRIMARY KEY (owner, endpoint_id, id)
);
CREATE INDEX webhook_delivery_due ON webhook_delivery (owner, endpoint_id, next_attempt_at)
    WHERE next_attempt_at IS NOT NULL;

-- Deliveries that succeeded at once, as nearly all do, in groups: a row for each would cost more than the sending.
CREATE TABLE webhook_success (
    owner        TEXT COLLATE "C" NOT NULL,
    endpoint_id  TEXT COLLATE "C" NOT NULL,
    first_id     TEXT COLLATE "C" NOT NULL,
    last_id      TEXT COLLATE "C" NOT NULL,
    docs         TEXT NOT NULL,
    PRIMARY KEY (owner, endpoint_id, last_id)
);
CREATE INDEX webhook_success_by_first ON webhook_success (owner, endpoint_id, first_id);
-- Faster than the default by far, where the server was built with it.
DO $$
BEGIN
    ALTER TABLE webhook_success ALTER COLUMN docs SET COMPRESSION lz4;
EXCEPTION
    WHEN feature_not_supported THEN NULL;
END
$$;

-- Endpoints that are gone, and whose deliveries are still to be cleaned away.
CREATE TABLE webhook_grave (
    owner        TEXT COLLATE "C" NOT NULL,
    endpoint_id  TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (owner, endpoint_id)
);

SELECT protect('node');
SELECT protect('webhook_endpoint');
SELECT protect('webhook_lane');
SELECT protect('webhook_delivery');
SELECT protect('webhook_grave');
SELECT protect('webhook_success');
