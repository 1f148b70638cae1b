-- The sample shop of a test world: when it was begun, and what came of each of its tasks.
CREATE TABLE sample_data (
    owner  TEXT COLLATE "C" NOT NULL,
    doc    TEXT NOT NULL,
    PRIMARY KEY (owner)
);

SELECT protect('sample_data');
