-- Waves. The document is what is shown. `rules` are the shipping rules as they were when the wave was started. `done_to` is the last
-- position up to which no order waits. `told_at` is when its progress was last told. `due_at` is null once the wave has ended.
CREATE TABLE wave (
    owner     TEXT NOT NULL,
    id        TEXT NOT NULL,
    version   BIGINT NOT NULL,
    status    TEXT NOT NULL CHECK (status IN ('queued', 'running', 'cancelling', 'cancelled', 'completed')),
    rules     TEXT NOT NULL,
    done_to   BIGINT NOT NULL DEFAULT 0,
    told_at   BIGINT NOT NULL,
    due_at    BIGINT,
    holder    TEXT NOT NULL DEFAULT '',
    fence     BIGINT NOT NULL DEFAULT 0,
    ended_at  BIGINT,
    doc       TEXT NOT NULL,
    PRIMARY KEY (owner, id)
);
CREATE INDEX wave_by_status ON wave (owner, status, id);
CREATE INDEX wave_due ON wave (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX wave_ended ON wave (ended_at) WHERE ended_at IS NOT NULL;

-- The orders of waves, by their turns. `step` is the last step that was done. An order waits in one wave at a time.
CREATE TABLE wave_order (
    owner         TEXT NOT NULL,
    wave_id       TEXT NOT NULL,
    position      BIGINT NOT NULL,
    order_id      TEXT NOT NULL,
    result        TEXT NOT NULL CHECK (result IN ('pending', 'done', 'exception', 'cancelled')),
    step          TEXT NOT NULL DEFAULT '' CHECK (step IN ('', 'plan', 'ship', 'rate')),
    code          TEXT,
    message       TEXT,
    shipment_ids  TEXT NOT NULL DEFAULT '[]',
    PRIMARY KEY (owner, wave_id, position)
);
CREATE UNIQUE INDEX wave_order_waiting ON wave_order (owner, order_id) WHERE result = 'pending';
CREATE INDEX wave_order_by_result ON wave_order (owner, wave_id, result, position);

-- The batches of waves. `group_key` says what their shipments have in common; `is_begun` whether the wave has had it bought.
CREATE TABLE wave_batch (
    owner      TEXT NOT NULL,
    wave_id    TEXT NOT NULL,
    batch_id   TEXT NOT NULL,
    group_key  TEXT NOT NULL,
    is_begun   BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (owner, wave_id, batch_id)
);
CREATE INDEX wave_batch_by_group ON wave_batch (owner, wave_id, group_key, batch_id);
