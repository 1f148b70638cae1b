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

SELECT protect('installation');
SELECT protect('announcement');
