-- Streams: what the installation keeps about itself, and what its operators say to everyone.

-- Few rows, of the whole installation: the epoch of the log, a word sealed with the key that seals the rest.
CREATE TABLE installation (
    owner  TEXT COLLATE "C" NOT NULL,
    name   TEXT COLLATE "C" NOT NULL,
    value  TEXT NOT NULL,
    PRIMARY KEY (owner, name)
);

-- Announcements, which every client of every organisation may read.
CREATE TABLE announcement (
    owner       TEXT COLLATE "C" NOT NULL,
    sequence    BIGINT NOT NULL,
    created_at  BIGINT NOT NULL,
    doc         TEXT NOT NULL,
    PRIMARY KEY (owner, sequence)
);

-- Where an external server sends the streams: how far each log was handed to it. The holding node proves its claim with
-- the fence.
CREATE TABLE stream_relay (
    owner   TEXT COLLATE "C" NOT NULL,
    cursor  BIGINT NOT NULL,
    holder  TEXT COLLATE "C" NOT NULL DEFAULT '',
    fence   BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (owner)
);

-- And who may be listening there: those who had a token lately. Where they must be sent away, with which code.
CREATE TABLE stream_audience (
    owner        TEXT COLLATE "C" NOT NULL,
    user_id      TEXT COLLATE "C" NOT NULL,
    resource     TEXT COLLATE "C" NOT NULL,
    until        BIGINT NOT NULL,
    ending_code  BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (owner, user_id, resource)
);
CREATE INDEX stream_audience_ending ON stream_audience (owner) WHERE ending_code > 0;

SELECT protect('installation');
SELECT protect('announcement');
SELECT protect('stream_relay');
SELECT protect('stream_audience');
