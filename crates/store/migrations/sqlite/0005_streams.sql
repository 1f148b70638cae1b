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
