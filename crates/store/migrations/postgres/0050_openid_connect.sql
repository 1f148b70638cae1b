-- Which user a subject of an identity provider signs in as.
CREATE TABLE user_identity (
    owner       TEXT COLLATE "C" NOT NULL,
    issuer      TEXT COLLATE "C" NOT NULL,
    subject     TEXT COLLATE "C" NOT NULL,
    user_id     TEXT COLLATE "C" NOT NULL,
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (owner, issuer, subject)
);
CREATE UNIQUE INDEX user_identity_by_user ON user_identity (owner, user_id, issuer);

-- Challenges that were answered, by their hash: each works once. They belong to no organisation: the owner is '*'.
CREATE TABLE spent_challenge (
    owner       TEXT COLLATE "C" NOT NULL,
    hash        BYTEA NOT NULL,
    expires_at  BIGINT NOT NULL,
    PRIMARY KEY (owner, hash)
);
CREATE INDEX spent_challenge_by_age ON spent_challenge (expires_at);

-- A session may begin with OpenID Connect.
ALTER TABLE user_session DROP CONSTRAINT user_session_began_with_check;
ALTER TABLE user_session ADD CONSTRAINT user_session_began_with_check
    CHECK (began_with IN ('password', 'link', 'openid_connect'));

SELECT protect('user_identity');
SELECT protect('spent_challenge');
