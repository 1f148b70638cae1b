-- The version of the program that added each step of the schema, so that an older program can say which one it takes.
ALTER TABLE migration ADD COLUMN version TEXT;
