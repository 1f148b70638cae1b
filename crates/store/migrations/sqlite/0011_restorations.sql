-- When a backup was put in the place of the data: what was bought after it was made is known to carriers, but not here.

CREATE TABLE restoration (
    owner        TEXT NOT NULL,
    restored_at  BIGINT NOT NULL,
    -- How that was found out.
    reason       TEXT NOT NULL,
    PRIMARY KEY (owner, restored_at)
);
