-- The name that an organisation gives itself. `name` stays what the operator's commands know it by, so that no organisation
-- can take the name of another. `renames` counts the changes, because both worlds show the name in their tags.
ALTER TABLE organisation ADD COLUMN display_name TEXT;
ALTER TABLE organisation ADD COLUMN renames BIGINT NOT NULL DEFAULT 0;
