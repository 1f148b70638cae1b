-- Which service a shipment takes, and with which options. The document is what is shown. Rules are asked in the order of their
-- positions, which are 1 to n; a position is negative only inside a transaction that moves rules.
CREATE TABLE shipping_rule (
    owner     TEXT COLLATE "C" NOT NULL,
    id        TEXT COLLATE "C" NOT NULL,
    version   BIGINT NOT NULL,
    position  BIGINT NOT NULL,
    doc       TEXT NOT NULL,
    PRIMARY KEY (owner, id)
);
CREATE UNIQUE INDEX shipping_rule_by_position ON shipping_rule (owner, position);

-- The locations, carrier accounts and package types that rules name, so that none is deleted while a rule names it.
CREATE TABLE shipping_rule_use (
    owner    TEXT COLLATE "C" NOT NULL,
    used_id  TEXT COLLATE "C" NOT NULL,
    rule_id  TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (owner, used_id, rule_id)
);
CREATE INDEX shipping_rule_use_of_rule ON shipping_rule_use (owner, rule_id);

SELECT protect('shipping_rule');
SELECT protect('shipping_rule_use');
