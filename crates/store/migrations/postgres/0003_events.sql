-- What reading the log needs, and who receives events.

-- An organisation that wants its events sent to it, by streaming or by webhooks. The log is kept without it too.
CREATE TABLE provision (
    owner       TEXT COLLATE "C" NOT NULL,
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (owner)
);

-- Lists of events by type and by resource, in the order of their numbers. What has no number yet is in no list.
CREATE INDEX event_by_type ON event (owner, type, sequence) WHERE sequence IS NOT NULL;
CREATE INDEX event_by_resource ON event (owner, resource_id, sequence) WHERE sequence IS NOT NULL;

SELECT protect('provision');
