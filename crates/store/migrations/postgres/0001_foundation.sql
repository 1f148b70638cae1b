-- The application sees the rows of one owner at a time, whatever its statements say. Only work that spans owners
-- says so, with '*'. Unset, nothing is visible.
CREATE FUNCTION protect(name regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY owner_only ON %s USING (owner = current_setting(''dockside.owner'', true)'
                   ' OR current_setting(''dockside.owner'', true) = ''*'')', name);
END
$$;

-- Taken while a transaction holds its locks, so that of two that touch the same rows the later has the higher.
CREATE SEQUENCE event_position;

-- The first schema: organisations and their tokens, answers kept for repeated requests, locations, the event log.
-- Every key starts with the owner (an organisation in one of its worlds), so that the schema can be sharded by it.

CREATE TABLE organisation (
    owner       TEXT COLLATE "C" NOT NULL,
    name        TEXT NOT NULL,
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (owner)
);
CREATE INDEX organisation_by_name ON organisation (name);

CREATE TABLE organisation_user (
    owner       TEXT COLLATE "C" NOT NULL,
    id          TEXT COLLATE "C" NOT NULL,
    email       TEXT NOT NULL,
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (owner, id)
);
CREATE UNIQUE INDEX organisation_user_by_email ON organisation_user (owner, email);

-- A token is kept as a hash. One with a parent was traded for it at /oauth/token and goes with it.
CREATE TABLE access_token (
    owner       TEXT COLLATE "C" NOT NULL,
    id          TEXT COLLATE "C" NOT NULL,
    user_id     TEXT COLLATE "C" NOT NULL,
    hash        BYTEA NOT NULL,
    name        TEXT,
    scopes      TEXT NOT NULL,
    parent_id   TEXT COLLATE "C",
    expires_at  BIGINT,
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (owner, id)
);
CREATE UNIQUE INDEX access_token_by_hash ON access_token (owner, hash);
CREATE INDEX access_token_by_parent ON access_token (owner, parent_id);

-- What a request with an Idempotency-Key was answered, written in the transaction that it answered for.
CREATE TABLE idempotency (
    owner        TEXT COLLATE "C" NOT NULL,
    key          TEXT COLLATE "C" NOT NULL,
    fingerprint  BYTEA NOT NULL,
    answer       TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (owner, key)
);
CREATE INDEX idempotency_by_age ON idempotency (created_at);

CREATE TABLE location (
    owner    TEXT COLLATE "C" NOT NULL,
    id       TEXT COLLATE "C" NOT NULL,
    version  BIGINT NOT NULL,
    doc      TEXT NOT NULL,
    PRIMARY KEY (owner, id)
);

CREATE TABLE location_tag (
    owner        TEXT COLLATE "C" NOT NULL,
    tag          TEXT COLLATE "C" NOT NULL,
    location_id  TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (owner, tag, location_id),
    FOREIGN KEY (owner, location_id) REFERENCES location (owner, id) ON DELETE CASCADE
);
CREATE INDEX location_tag_by_location ON location_tag (owner, location_id);

-- What a location was before it changed or went. Shipments pin a version; this outlives the location.
CREATE TABLE location_version (
    owner        TEXT COLLATE "C" NOT NULL,
    location_id  TEXT COLLATE "C" NOT NULL,
    version      BIGINT NOT NULL,
    doc          TEXT NOT NULL,
    PRIMARY KEY (owner, location_id, version)
);

CREATE TABLE location_configuration (
    owner       TEXT COLLATE "C" NOT NULL,
    id          TEXT COLLATE "C" NOT NULL,
    version     BIGINT NOT NULL,
    name        TEXT NOT NULL,
    origin_id   TEXT COLLATE "C" NOT NULL,
    return_id   TEXT COLLATE "C" NOT NULL,
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL,
    PRIMARY KEY (owner, id),
    FOREIGN KEY (owner, origin_id) REFERENCES location (owner, id),
    FOREIGN KEY (owner, return_id) REFERENCES location (owner, id)
);
CREATE INDEX location_configuration_by_origin ON location_configuration (owner, origin_id);
CREATE INDEX location_configuration_by_return ON location_configuration (owner, return_id);

-- The log. An event is written by the transaction it tells of; its sequence, by which all read, is given
-- after the commit, by a relay that takes what is committed in the order of positions.
CREATE TABLE event (
    owner                TEXT COLLATE "C" NOT NULL,
    id                   TEXT COLLATE "C" NOT NULL,
    position             BIGINT NOT NULL DEFAULT nextval('event_position'),
    sequence             BIGINT,
    type                 TEXT COLLATE "C" NOT NULL,
    resource_id          TEXT COLLATE "C" NOT NULL,
    created_at           BIGINT NOT NULL,
    object               TEXT NOT NULL,
    previous_attributes  TEXT,
    PRIMARY KEY (owner, id)
);
CREATE UNIQUE INDEX event_by_sequence ON event (owner, sequence);
CREATE INDEX event_unnumbered ON event (position) WHERE sequence IS NULL;

-- The last sequence of each log.
CREATE TABLE event_head (
    owner     TEXT COLLATE "C" NOT NULL,
    sequence  BIGINT NOT NULL,
    PRIMARY KEY (owner)
);

SELECT protect('organisation');
SELECT protect('organisation_user');
SELECT protect('access_token');
SELECT protect('idempotency');
SELECT protect('location');
SELECT protect('location_tag');
SELECT protect('location_version');
SELECT protect('location_configuration');
SELECT protect('event');
SELECT protect('event_head');

-- A user is the same in both worlds of its organisation, and stands under the organisation itself.
CREATE POLICY test_world_reads ON organisation_user FOR SELECT
    USING (owner || '_test' = current_setting('dockside.owner', true));
