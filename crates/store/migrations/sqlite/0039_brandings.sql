-- What an organisation puts on its packing slips and pick lists, with its logo. The document is what is shown.
CREATE TABLE branding (
    owner    TEXT NOT NULL,
    version  BIGINT NOT NULL,
    doc      TEXT NOT NULL,
    PRIMARY KEY (owner)
);
