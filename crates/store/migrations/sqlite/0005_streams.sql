-- Streams: what the installation keeps about itself, and what its operators say to everyone.

-- Few rows, of the whole installation: the epoch of the log, a word sealed with the key that seals the rest.
CREATE TABLE installation (
    owner  TEXT NOT NULL,
    name   TEXT NOT NULL,
    value  TEXT NOT NULL,
    PRIMARY KEY (owner, name)
);

-- Announcements, which every client of every organisation may read.
CREATE TABLE announcement (
    owner       TEXT NOT NULL,
    sequence    BIGINT NOT NULL,
    created_at  BIGINT NOT NULL,
    doc         TEXT NOT NULL,
    PRIMARY KEY (owner, sequence)
);

-- Where an external server sends the streams: how far each log was handed to it. The holding node proves its claim with
-- the fence.
CREATE TABLE stream_relay (
    owner   TEXT NOT NULL,
    cursor  BIGINT NOT NULL,
    holder  TEXT NOT NULL DEFAULT '',
    fence   BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (owner)
);

-- And who may be listening there: those who had a token lately. Where they must be sent away, with which code.
CREATE TABLE stream_audience (
    owner        TEXT NOT NULL,
    user_id      TEXT NOT NULL,
    resource     TEXT NOT NULL,
    until        BIGINT NOT NULL,
    ending_code  BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (owner, user_id, resource)
);
CREATE INDEX stream_audience_ending ON stream_audience (owner) WHERE ending_code > 0;
