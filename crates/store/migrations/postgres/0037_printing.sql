-- Printers. The document is what is shown.
CREATE TABLE printer (
    owner        TEXT COLLATE "C" NOT NULL,
    id           TEXT COLLATE "C" NOT NULL,
    version      BIGINT NOT NULL,
    location_id  TEXT COLLATE "C",
    doc          TEXT NOT NULL,
    PRIMARY KEY (owner, id)
);
CREATE INDEX printer_by_location ON printer (owner, location_id) WHERE location_id IS NOT NULL;

-- Which printer is the default for a kind of document at a location; the empty location stands for all others. The key decides
-- between two printers at the same moment.
CREATE TABLE printer_default (
    owner        TEXT COLLATE "C" NOT NULL,
    purpose      TEXT COLLATE "C" NOT NULL,
    location_id  TEXT COLLATE "C" NOT NULL,
    printer_id   TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (owner, purpose, location_id)
);
CREATE INDEX printer_default_by_printer ON printer_default (owner, printer_id);

-- The queue of a printer, on which one node or one agent works at a time. `due_at` is when a node looks at it: at the jobs of a
-- direct printer, or at a claim of an agent whose lease has ended. `ready_at` is when an agent may claim. The holder is a node, or
-- the word `agent`, or nothing.
CREATE TABLE print_queue (
    owner       TEXT COLLATE "C" NOT NULL,
    printer_id  TEXT COLLATE "C" NOT NULL,
    is_agent    BIGINT NOT NULL,
    due_at      BIGINT,
    ready_at    BIGINT,
    holder      TEXT COLLATE "C" NOT NULL DEFAULT '',
    fence       BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (owner, printer_id)
);
CREATE INDEX print_queue_due ON print_queue (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX print_queue_ready ON print_queue (owner, ready_at) WHERE ready_at IS NOT NULL;

-- Print jobs. `fence` is the claim under which the job was last sent, `is_begun` whether a byte of it may have left.
CREATE TABLE print_job (
    owner       TEXT COLLATE "C" NOT NULL,
    id          TEXT COLLATE "C" NOT NULL,
    version     BIGINT NOT NULL,
    printer_id  TEXT COLLATE "C" NOT NULL,
    status      TEXT COLLATE "C" NOT NULL
                CHECK (status IN ('queued', 'sending', 'printed', 'failed', 'uncertain', 'cancelled')),
    fence       BIGINT NOT NULL DEFAULT 0,
    is_begun    BIGINT NOT NULL DEFAULT 0,
    ended_at    BIGINT,
    doc         TEXT NOT NULL,
    PRIMARY KEY (owner, id)
);
CREATE INDEX print_job_by_status ON print_job (owner, status, id);
CREATE INDEX print_job_by_printer ON print_job (owner, printer_id, id);
CREATE INDEX print_job_by_printer_and_status ON print_job (owner, printer_id, status, id);
CREATE INDEX print_job_ended ON print_job (ended_at) WHERE ended_at IS NOT NULL;

SELECT protect('printer');
SELECT protect('printer_default');
SELECT protect('print_queue');
SELECT protect('print_job');
