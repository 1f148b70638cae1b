//! The invariants of the database, at every moment and at rest. Each is a statement that finds the rows that break it.

use crate::sql::Store;

/// A sentence, and the statement that finds what breaks it.
type Rule = (&'static str, &'static str);

const ALWAYS: &[Rule] = &[
    (
        "a batch's counts are those of its shipments",
        "SELECT b.id || ' says ' || b.shipments_count || ', ' || b.purchased_count || ', ' || b.error_count || ', '
             || b.packages_count || ', ' || b.labels_pending_count || ' and not ' || coalesce(m.shipments, 0) || ', '
             || coalesce(m.purchased, 0) || ', ' || coalesce(m.errors, 0) || ', ' || coalesce(m.packages, 0) || ', '
             || coalesce(m.pending, 0)
         FROM batch b LEFT JOIN (
             SELECT owner, batch_id, count(*) AS shipments, sum(CASE WHEN status = 'purchased' THEN 1 ELSE 0 END) AS purchased,
                 sum(errors_count) AS errors, sum(packages_count) AS packages, sum(label_pending) AS pending
             FROM shipment WHERE batch_id IS NOT NULL GROUP BY owner, batch_id
         ) m ON m.owner = b.owner AND m.batch_id = b.id
         WHERE b.shipments_count <> coalesce(m.shipments, 0) OR b.purchased_count <> coalesce(m.purchased, 0)
             OR b.error_count <> coalesce(m.errors, 0) OR b.packages_count <> coalesce(m.packages, 0)
             OR b.labels_pending_count <> coalesce(m.pending, 0)",
    ),
    (
        "a shipment is shown as purchased with its label, unless that is pending",
        "SELECT s.id FROM shipment s WHERE s.status = 'purchased' AND s.label_pending = 0 AND NOT EXISTS (
             SELECT 1 FROM document d WHERE d.owner = s.owner AND d.subject = s.id AND d.type = 'label')",
    ),
    (
        "a purchase is awaited only by a batch that is being purchased",
        "SELECT p.shipment_id || ' is awaited by ' || p.batch_id || ', which is ' || coalesce(b.status, 'gone')
         FROM purchase p LEFT JOIN batch b ON b.owner = p.owner AND b.id = p.batch_id
         WHERE p.batch_id IS NOT NULL AND (b.id IS NULL OR b.status <> 'purchasing')",
    ),
    (
        "a batch that is being purchased awaits something",
        "SELECT b.id FROM batch b WHERE b.status = 'purchasing' AND b.begun_to IS NULL
         AND NOT EXISTS (SELECT 1 FROM purchase p WHERE p.owner = b.owner AND p.batch_id = b.id)",
    ),
    (
        "a batch whose purchases are still written down is being purchased",
        "SELECT id || ' is ' || status FROM batch WHERE begun_to IS NOT NULL AND status <> 'purchasing'",
    ),
    (
        "a shipment that is being purchased has a purchase under way or in review",
        "SELECT s.id || ' has one that is ' || coalesce(p.state, 'missing') FROM shipment s
         LEFT JOIN purchase p ON p.owner = s.owner AND p.shipment_id = s.id
         WHERE s.status = 'purchasing'
             AND (p.id IS NULL OR p.state NOT IN ('ready', 'calling', 'checking', 'needs_review', 'bought'))",
    ),
    (
        "a purchase under way is that of a shipment that is being purchased",
        "SELECT p.shipment_id || ' is ' || coalesce(s.status, 'gone') || ', and its purchase ' || p.state FROM purchase p
         LEFT JOIN shipment s ON s.owner = p.owner AND s.id = p.shipment_id
         WHERE p.state IN ('ready', 'calling', 'checking', 'needs_review') AND (s.id IS NULL OR s.status <> 'purchasing')",
    ),
    (
        "a purchase under way is looked at some time",
        "SELECT shipment_id FROM purchase WHERE due_at IS NULL
         AND (state IN ('ready', 'calling', 'checking') OR (state = 'bought' AND is_follow_up = 0))",
    ),
    (
        "a shipment is shown as purchased once there is a receipt",
        "SELECT s.id || ' has a purchase that is ' || coalesce(p.state, 'missing') FROM shipment s
         LEFT JOIN purchase p ON p.owner = s.owner AND p.shipment_id = s.id
         WHERE s.status = 'purchased' AND (p.id IS NULL OR p.state <> 'bought' OR p.receipt IS NULL)",
    ),
    (
        "a shipment is shown as failed once its purchase is",
        "SELECT s.id || ' has a purchase that is ' || coalesce(p.state, 'missing') FROM shipment s
         LEFT JOIN purchase p ON p.owner = s.owner AND p.shipment_id = s.id
         WHERE s.status = 'purchase_failed' AND (p.id IS NULL OR p.state <> 'failed')",
    ),
    (
        "what is in a batch is in one that is there",
        "SELECT s.id FROM shipment s LEFT JOIN batch b ON b.owner = s.owner AND b.id = s.batch_id
         WHERE s.batch_id IS NOT NULL AND b.id IS NULL",
    ),
];

const AT_REST: &[Rule] = &[
    ("everything that was begun has ended", "SELECT id || ' is ' || status FROM batch WHERE status <> 'purchased'"),
    ("everything was bought", "SELECT id || ' is ' || status FROM shipment WHERE status <> 'purchased'"),
    (
        "every purchase is known to be bought",
        "SELECT shipment_id || ' is ' || state FROM purchase WHERE state <> 'bought'",
    ),
    (
        "nothing that was charged twice is left to take back",
        "SELECT shipment_id FROM purchase WHERE receipt LIKE '%\"duplicates\":[{%'",
    ),
    (
        "every shipment has one label",
        "SELECT s.id || ' has ' || coalesce(d.labels, 0) FROM shipment s LEFT JOIN (
             SELECT owner, subject, count(*) AS labels FROM document WHERE type = 'label' GROUP BY owner, subject
         ) d ON d.owner = s.owner AND d.subject = s.id
         WHERE coalesce(d.labels, 0) <> 1",
    ),
    (
        "the log says once of every shipment that it was purchased",
        "SELECT s.id || ': ' || coalesce(e.times, 0) FROM shipment s LEFT JOIN (
             SELECT owner, resource_id, count(*) AS times FROM event WHERE type = 'shipment.purchased'
             GROUP BY owner, resource_id
         ) e ON e.owner = s.owner AND e.resource_id = s.id
         WHERE coalesce(e.times, 0) <> 1",
    ),
    (
        "the log says at most once of a batch that it was purchased",
        "SELECT resource_id || ': ' || count(*) FROM event WHERE type = 'batch.purchased' GROUP BY resource_id HAVING count(*) > 1",
    ),
];

/// How many breaches of a rule are shown.
const SHOWN_MAX: usize = 5;

/// Returns the breaches of the invariants that hold at every moment.
pub fn breaches(store: &Store) -> Vec<String> {
    broken(store, ALWAYS)
}

/// Returns the breaches of all invariants, including those that hold only once all work has ended.
pub fn unrest(store: &Store) -> Vec<String> {
    [broken(store, ALWAYS), broken(store, AT_REST)].concat()
}

/// Returns how many invariants hold at every moment, and how many only at rest.
pub fn count() -> (usize, usize) {
    (ALWAYS.len(), AT_REST.len())
}

fn broken(store: &Store, rules: &[Rule]) -> Vec<String> {
    let statements: Vec<_> = rules.iter().map(|(_, sql)| *sql).collect();
    let found = store.rows(&statements);
    let told = rules.iter().zip(found).filter(|(_, rows)| !rows.is_empty());
    let told = told.map(|((rule, _), rows)| {
        let first: Vec<_> = rows.iter().take(SHOWN_MAX).flatten().flatten().cloned().collect();
        format!("{rule}; not so {} times: {}", rows.len(), first.join("; "))
    });
    told.collect()
}
