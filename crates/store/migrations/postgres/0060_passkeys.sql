-- Passkeys of people. The key is public, in COSE; `credential_id` is how the authenticator names it.
CREATE TABLE passkey (
    owner          TEXT COLLATE "C" NOT NULL,
    id             TEXT COLLATE "C" NOT NULL,
    user_id        TEXT COLLATE "C" NOT NULL,
    credential_id  BYTEA NOT NULL,
    public_key     BYTEA NOT NULL,
    sign_count     BIGINT NOT NULL,
    is_syncable    BIGINT NOT NULL,
    name           TEXT NOT NULL,
    created_at     BIGINT NOT NULL,
    last_used_at   BIGINT,
    PRIMARY KEY (owner, id)
);
CREATE UNIQUE INDEX passkey_by_credential ON passkey (owner, credential_id);
CREATE INDEX passkey_by_user ON passkey (owner, user_id, id);

-- A session may begin with a passkey.
ALTER TABLE user_session DROP CONSTRAINT user_session_began_with_check;
ALTER TABLE user_session ADD CONSTRAINT user_session_began_with_check
    CHECK (began_with IN ('password', 'link', 'openid_connect', 'passkey'));

SELECT protect('passkey');
