-- Access tokens of carrier accounts, sealed, and which task asks for a new one.
CREATE TABLE carrier_token (
    owner          TEXT COLLATE "C" NOT NULL,
    account_id     TEXT COLLATE "C" NOT NULL,
    name           TEXT COLLATE "C" NOT NULL,
    -- Grows with each claim, so that a task that was too late keeps nothing.
    fence          BIGINT NOT NULL,
    -- Until when a task asks for a new token; 0 if none does.
    claimed_until  BIGINT NOT NULL,
    -- The answer to the last request, encrypted: the token, or why there is none. Null until there is one.
    sealed         BYTEA,
    -- Until when it is used.
    expires_at     BIGINT NOT NULL,
    PRIMARY KEY (owner, account_id, name),
    FOREIGN KEY (owner, account_id) REFERENCES carrier_account (owner, id) ON DELETE CASCADE
);

SELECT protect('carrier_token');
