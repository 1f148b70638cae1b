-- When a backup was put in the place of the data: what was bought after it was made is known to carriers, but not here.

CREATE TABLE restoration (
    owner        TEXT COLLATE "C" NOT NULL,
    restored_at  BIGINT NOT NULL,
    -- How that was found out.
    reason       TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (owner, restored_at)
);

SELECT protect('restoration');
-- It is the installation's, and everybody's purchases begin by it.
CREATE POLICY everybody_reads ON restoration FOR SELECT
    USING (owner = '*' AND current_setting('dockside.owner', true) <> '');
