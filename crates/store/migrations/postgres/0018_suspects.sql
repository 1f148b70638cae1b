-- How often a server stopped while it was at this, one time after another: it is then resumed alone, and in the end set aside.
ALTER TABLE manifest ADD COLUMN crashes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE batch_labels ADD COLUMN crashes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE stream_relay ADD COLUMN crashes BIGINT NOT NULL DEFAULT 0;

-- When the work on a batch's labels was set aside.
ALTER TABLE batch_labels ADD COLUMN set_aside_at BIGINT;

-- What is resumed alone is looked for all the time, and hardly ever there.
CREATE INDEX manifest_suspect ON manifest (due_at) WHERE crashes > 0;
CREATE INDEX batch_labels_suspect ON batch_labels (due_at) WHERE crashes > 0;
CREATE INDEX stream_relay_suspect ON stream_relay (owner) WHERE crashes > 0;
