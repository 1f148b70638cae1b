-- Webhooks: where events are posted to, how far each endpoint has come, and what became of every delivery.

-- A running server, as long as it says so. What it holds is free for others once it stopped saying so.
CREATE TABLE node (
    owner        TEXT NOT NULL,
    id           TEXT NOT NULL,
    alive_until  BIGINT NOT NULL,
    PRIMARY KEY (owner, id)
);

CREATE TABLE webhook_endpoint (
    owner    TEXT NOT NULL,
    id       TEXT NOT NULL,
    version  BIGINT NOT NULL,
    doc      TEXT NOT NULL,
    -- Encrypted: the secrets that sign, newest first.
    secrets  BLOB NOT NULL,
    PRIMARY KEY (owner, id)
);

-- The way of events to one endpoint: apart from the endpoint, because it changes with every delivery. Everything up
-- to the cursor was sent, skipped, or set aside as a delivery of its own. The holding node proves its claim with the fence.
CREATE TABLE webhook_lane (
    owner          TEXT NOT NULL,
    endpoint_id    TEXT NOT NULL,
    cursor         BIGINT NOT NULL,
    is_open        BIGINT NOT NULL CHECK (is_open IN (0, 1)),
    failures       BIGINT NOT NULL DEFAULT 0,
    failing_since  BIGINT,
    paused_until   BIGINT NOT NULL DEFAULT 0,
    retry_at       BIGINT,
    holder         TEXT NOT NULL DEFAULT '',
    fence          BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (owner, endpoint_id),
    FOREIGN KEY (owner, endpoint_id) REFERENCES webhook_endpoint (owner, id) ON DELETE CASCADE
);

-- Not tied to its endpoint by a key: an endpoint goes at once, its deliveries are cleaned away later, in portions.
CREATE TABLE webhook_delivery (
    owner            TEXT NOT NULL,
    endpoint_id      TEXT NOT NULL,
    id               TEXT NOT NULL,
    event_id         TEXT NOT NULL,
    event_type       TEXT NOT NULL,
    sequence         BIGINT,
    status           TEXT NOT NULL CHECK (status IN ('pending', 'succeeded', 'retrying', 'failed')),
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
    owner        TEXT NOT NULL,
    endpoint_id  TEXT NOT NULL,
    first_id     TEXT NOT NULL,
    last_id      TEXT NOT NULL,
    docs         TEXT NOT NULL,
    PRIMARY KEY (owner, endpoint_id, last_id)
);
CREATE INDEX webhook_success_by_first ON webhook_success (owner, endpoint_id, first_id);

-- Endpoints that are gone, and whose deliveries are still to be cleaned away.
CREATE TABLE webhook_grave (
    owner        TEXT NOT NULL,
    endpoint_id  TEXT NOT NULL,
    PRIMARY KEY (owner, endpoint_id)
);
