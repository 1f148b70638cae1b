-- Who or what made the change that an event tells of: the id of a user or of an access token, or the type of an actor without an id.
-- `actor_name` is the name of a job. Events from before have neither.
ALTER TABLE event ADD COLUMN actor TEXT;
ALTER TABLE event ADD COLUMN actor_name TEXT;
CREATE INDEX event_by_actor ON event (owner, actor, sequence) WHERE sequence IS NOT NULL;
