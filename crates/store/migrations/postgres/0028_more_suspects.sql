-- How often a server stopped while it held the purchase or the lane, one time after another.
ALTER TABLE purchase ADD COLUMN crashes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE webhook_lane ADD COLUMN crashes BIGINT NOT NULL DEFAULT 0;

-- How many servers started since it was last claimed.
ALTER TABLE purchase ADD COLUMN starts BIGINT NOT NULL DEFAULT 0;
ALTER TABLE webhook_lane ADD COLUMN starts BIGINT NOT NULL DEFAULT 0;

-- Suspects are looked for several times a second, and there are hardly ever any.
CREATE INDEX purchase_suspect ON purchase (due_at) WHERE crashes > 0;
CREATE INDEX webhook_lane_suspect ON webhook_lane (owner) WHERE crashes > 0;
