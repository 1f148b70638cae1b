-- E-mails that wait to be sent. `sealed` is the address and the text, with the sign-in link, encrypted; `link_hash` is the hash of
-- that link's token. The row is deleted when the e-mail is sent, or when the link works no more.
CREATE TABLE mail (
    owner       TEXT NOT NULL,
    id          TEXT NOT NULL,
    purpose     TEXT NOT NULL,
    link_hash   BLOB NOT NULL,
    sealed      BLOB NOT NULL,
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL,
    due_at      BIGINT NOT NULL,
    failures    BIGINT NOT NULL DEFAULT 0,
    holder      TEXT NOT NULL DEFAULT '',
    fence       BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (owner, id)
);
CREATE INDEX mail_due ON mail (due_at);
CREATE INDEX mail_by_age ON mail (expires_at);

-- Requests for a new password that no node has looked at yet. `sealed` is the address, whether a user has it or not, encrypted. They
-- belong to no organisation: the owner is '*'.
CREATE TABLE password_reset (
    owner       TEXT NOT NULL,
    id          TEXT NOT NULL,
    sealed      BLOB NOT NULL,
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (owner, id)
);
CREATE INDEX password_reset_by_age ON password_reset (created_at);
