-- People sign in. `email_key` is the address in the form in which addresses are compared. A session is valid while its
-- `generation` is the user's: disabling a user, a new password and signing out everywhere raise it.
ALTER TABLE organisation_user ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE organisation_user ADD COLUMN email_key TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE organisation_user ADD COLUMN version BIGINT NOT NULL DEFAULT 1;
ALTER TABLE organisation_user ADD COLUMN generation BIGINT NOT NULL DEFAULT 1;
ALTER TABLE organisation_user ADD COLUMN is_disabled BIGINT NOT NULL DEFAULT 0;
ALTER TABLE organisation_user ADD COLUMN password TEXT;
ALTER TABLE organisation_user ADD COLUMN updated_at BIGINT NOT NULL DEFAULT 0;
UPDATE organisation_user SET name = email, email_key = lower(email), updated_at = created_at;
CREATE INDEX access_token_by_user ON access_token (owner, user_id);
CREATE INDEX organisation_user_by_key ON organisation_user (email_key);

-- Roles. The scopes of the four that are built in follow from the program, so theirs are empty here.
CREATE TABLE role (
    owner        TEXT COLLATE "C" NOT NULL,
    id           TEXT COLLATE "C" NOT NULL,
    version      BIGINT NOT NULL,
    name         TEXT COLLATE "C" NOT NULL,
    scopes       TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    PRIMARY KEY (owner, id)
);
CREATE UNIQUE INDEX role_by_name ON role (owner, name);
INSERT INTO role (owner, id, version, name, scopes, created_at, updated_at)
    SELECT owner, 'role_00000000000000000000000001', 1, 'admin', '', created_at, created_at FROM organisation;
INSERT INTO role (owner, id, version, name, scopes, created_at, updated_at)
    SELECT owner, 'role_00000000000000000000000002', 1, 'manager', '', created_at, created_at FROM organisation;
INSERT INTO role (owner, id, version, name, scopes, created_at, updated_at)
    SELECT owner, 'role_00000000000000000000000003', 1, 'packer', '', created_at, created_at FROM organisation;
INSERT INTO role (owner, id, version, name, scopes, created_at, updated_at)
    SELECT owner, 'role_00000000000000000000000004', 1, 'viewer', '', created_at, created_at FROM organisation;

-- Which user has which role.
CREATE TABLE user_role (
    owner    TEXT COLLATE "C" NOT NULL,
    user_id  TEXT COLLATE "C" NOT NULL,
    role_id  TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (owner, user_id, role_id)
);
CREATE INDEX user_role_by_role ON user_role (owner, role_id, user_id);

-- Sessions, by the hash of their cookie.
CREATE TABLE user_session (
    owner       TEXT COLLATE "C" NOT NULL,
    id          TEXT COLLATE "C" NOT NULL,
    user_id     TEXT COLLATE "C" NOT NULL,
    hash        BYTEA NOT NULL,
    generation  BIGINT NOT NULL,
    began_with  TEXT COLLATE "C" NOT NULL CHECK (began_with IN ('password', 'link')),
    user_agent  TEXT,
    created_at  BIGINT NOT NULL,
    seen_at     BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL,
    PRIMARY KEY (owner, id)
);
CREATE UNIQUE INDEX user_session_by_hash ON user_session (owner, hash);
CREATE INDEX user_session_by_user ON user_session (owner, user_id, id);
CREATE INDEX user_session_by_seen ON user_session (seen_at);

-- One-time links, by the hash of their token. A user has one at most.
CREATE TABLE sign_in_link (
    owner       TEXT COLLATE "C" NOT NULL,
    user_id     TEXT COLLATE "C" NOT NULL,
    hash        BYTEA NOT NULL,
    expires_at  BIGINT NOT NULL,
    PRIMARY KEY (owner, user_id)
);
CREATE UNIQUE INDEX sign_in_link_by_hash ON sign_in_link (owner, hash);
CREATE INDEX sign_in_link_by_age ON sign_in_link (expires_at);

-- Failed sign-ins of late, by the hash of the address, whether a user has it or not. They belong to no organisation: the
-- owner is '*'.
CREATE TABLE sign_in_failure (
    owner     TEXT COLLATE "C" NOT NULL,
    account   BYTEA NOT NULL,
    failures  BIGINT NOT NULL,
    since     BIGINT NOT NULL,
    PRIMARY KEY (owner, account)
);
CREATE INDEX sign_in_failure_by_age ON sign_in_failure (since);

SELECT protect('role');
SELECT protect('user_role');
SELECT protect('user_session');
SELECT protect('sign_in_link');
SELECT protect('sign_in_failure');
