-- Which user a subject of an identity provider signs in as.
CREATE TABLE user_identity (
    owner       TEXT NOT NULL,
    issuer      TEXT NOT NULL,
    subject     TEXT NOT NULL,
    user_id     TEXT NOT NULL,
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (owner, issuer, subject)
);
CREATE UNIQUE INDEX user_identity_by_user ON user_identity (owner, user_id, issuer);

-- Challenges that were answered, by their hash: each works once. They belong to no organisation: the owner is '*'.
CREATE TABLE spent_challenge (
    owner       TEXT NOT NULL,
    hash        BLOB NOT NULL,
    expires_at  BIGINT NOT NULL,
    PRIMARY KEY (owner, hash)
);
CREATE INDEX spent_challenge_by_age ON spent_challenge (expires_at);

-- A session may begin with OpenID Connect. SQLite can't change a CHECK, so the table is made anew.
CREATE TABLE user_session_by_way (
    owner       TEXT NOT NULL,
    id          TEXT NOT NULL,
    user_id     TEXT NOT NULL,
    hash        BLOB NOT NULL,
    generation  BIGINT NOT NULL,
    began_with  TEXT NOT NULL CHECK (began_with IN ('password', 'link', 'openid_connect')),
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
