-- Passkeys of people. The key is public, in COSE; `credential_id` is how the authenticator names it.
CREATE TABLE passkey (
    owner          TEXT NOT NULL,
    id             TEXT NOT NULL,
    user_id        TEXT NOT NULL,
    credential_id  BLOB NOT NULL,
    public_key     BLOB NOT NULL,
    sign_count     BIGINT NOT NULL,
    is_syncable    BIGINT NOT NULL,
    name           TEXT NOT NULL,
    created_at     BIGINT NOT NULL,
    last_used_at   BIGINT,
    PRIMARY KEY (owner, id)
);
CREATE UNIQUE INDEX passkey_by_credential ON passkey (owner, credential_id);
CREATE INDEX passkey_by_user ON passkey (owner, user_id, id);

-- A session may begin with a passkey. SQLite can't change a CHECK, so the table is made anew.
CREATE TABLE user_session_by_way (
    owner       TEXT NOT NULL,
    id          TEXT NOT NULL,
    user_id     TEXT NOT NULL,
    hash        BLOB NOT NULL,
    generation  BIGINT NOT NULL,
    began_with  TEXT NOT NULL CHECK (began_with IN ('password', 'link', 'openid_connect', 'passkey')),
    user_agent  TEXT,
    created_at  BIGINT NOT NULL,
    seen_at     BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL,
    PRIMARY KEY (owner, id)
);
INSERT INTO user_session_by_way (owner, id, user_id, hash, generation, began_with, user_agent, created_at, seen_at, expires_at)
    SELECT owner, id, user_id, hash, generation, began_with, user_agent, created_at, seen_at, expires_at FROM user_session;
DROP TABLE user_session;
ALTER TABLE user_session_by_way RENAME TO user_session;
CREATE UNIQUE INDEX user_session_by_hash ON user_session (owner, hash);
CREATE INDEX user_session_by_user ON user_session (owner, user_id, id);
CREATE INDEX user_session_by_seen ON user_session (seen_at);
