-- Expired tokens are deleted in small pieces, each of which looks for the oldest.
CREATE INDEX access_token_expired ON access_token (expires_at) WHERE parent_id IS NOT NULL;
