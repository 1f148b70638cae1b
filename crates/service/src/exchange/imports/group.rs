//! A group: entries that are written in one transaction, together with what came of them.
//!
//! Most refusals are found before anything of an entry is written, and are recorded with the others. If a write itself is refused, the
//! transaction is rolled back: the entries before it are written without it, and it is recorded as refused with those behind it. So a
//! refusal costs at most one repetition of the entries before it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use model::events::actor::Actor;
use model::exchange::import::{
    FAILURES_MAX, Import, ImportInput, ImportType, Layout, OnError, Outcome, RowError, Status,
};
use model::{Code, Error, Problem, Result};
use store::Tx;
use store::exchange::import_rows::{self, FailedRow};
use store::exchange::imports::{self, ImportClaim, StoredImport};

use super::Imports;
use super::apply::{Action, perform, plan};
use super::change::{progress_event, read_import, write_import};
use super::file::{Entry, FileReader};
use crate::events::events::EventLog;
use crate::platform::crash_point::crash_point;
use crate::platform::resource::json;

/// Entries of a group.
const ENTRIES_EACH: usize = 64;
/// Bytes of a group at which it is full, whatever the number of its entries.
const GROUP_BYTES: i64 = 2 << 20;

/// Entries that are written together.
pub(super) struct Group {
    entries: Vec<Entry>,
    input: ImportInput,
    layout: Arc<Layout>,
}

/// What follows a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum GroupEnd {
    /// The next group.
    More,
    /// Nothing: the import has ended, or another node holds it.
    Over,
}

/// What came of a transaction.
enum Attempt {
    Written(GroupEnd),
    /// The write of this entry was refused. Nothing was written.
    Refused(usize, Problem),
}

/// What came of the entries of a transaction, in their order. `None` says that nothing is wrong.
type Outcomes = Vec<(Outcome, Option<Problem>)>;

impl Group {
    /// Reads the next entries of a file.
    pub async fn read(reader: &mut FileReader, input: &ImportInput) -> Result<Self> {
        let mut entries = Vec::new();
        let begin = reader.progress().position;
        while entries.len() < ENTRIES_EACH && reader.progress().position - begin < GROUP_BYTES {
            match reader.entry().await? {
                Some(entry) => entries.push(entry),
                None => break,
            }
        }
        Ok(Self { entries, input: input.clone(), layout: Arc::clone(reader.layout()) })
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the references of some entries, if rows of orders are read.
    fn references(&self, range: Range<usize>) -> BTreeSet<&str> {
        let is_orders = self.input.r#type == ImportType::Orders;
        // Other keys are refused anyway.
        let is_text = |key: &&str| !key.chars().any(char::is_control);
        self.entries[range]
            .iter()
            .filter(|_| is_orders)
            .filter_map(|entry| entry.key.as_deref())
            .filter(is_text)
            .collect()
    }
}

impl Imports {
    /// Writes the entries of a group, and records what came of them.
    pub(super) async fn write_group(&self, claim: ImportClaim, group: Group) -> Result<GroupEnd> {
        let group = Arc::new(group);
        let mut refused = BTreeMap::new();
        let (mut from, mut to) = (0, group.entries.len());
        while from < group.entries.len() {
            crash_point!("before_import_group");
            match self.attempt(claim, &group, from..to, &refused).await? {
                Attempt::Written(GroupEnd::Over) => return Ok(GroupEnd::Over),
                Attempt::Written(GroupEnd::More) => (from, to) = (to, group.entries.len()),
                Attempt::Refused(place, problem) => {
                    // The entry was left out already, so it is not the cause. Repeating would not end.
                    if refused.contains_key(&place) {
                        return Err(problem.into());
                    }
                    refused.insert(place, problem);
                    if place > from {
                        to = place;
                    }
                }
            }
            crash_point!("after_import_group");
        }
        Ok(GroupEnd::More)
    }

    async fn attempt(
        &self,
        claim: ImportClaim,
        group: &Arc<Group>,
        range: Range<usize>,
        refused: &BTreeMap<usize, Problem>,
    ) -> Result<Attempt> {
        match group.input.options.dry_run {
            true => self.attempt_dry(claim, group, range, refused).await,
            false => self.attempt_write(claim, group, range, refused).await,
        }
    }

    async fn attempt_write(
        &self,
        claim: ImportClaim,
        group: &Arc<Group>,
        range: Range<usize>,
        refused: &BTreeMap<usize, Problem>,
    ) -> Result<Attempt> {
        let owner = claim.owner;
        let log = self.context.event_log(Actor::Job("imports"), owner, self.context.now());
        let place = Arc::new(AtomicUsize::new(range.start));
        let (group, refused, at) = (Arc::clone(group), refused.clone(), Arc::clone(&place));
        let write = self.context.db().write(owner, async move |tx| {
            let Some(stored) = held(tx, &claim).await? else { return Ok(GroupEnd::Over) };
            let outcomes = apply_all(tx, &claim, &group, range.clone(), &refused, &at, &log).await?;
            record(tx, &claim, &stored, &group, range.clone(), &outcomes, &log).await
        });
        let written = write.await;
        self.context.notice(owner);
        match written {
            Ok(end) => Ok(Attempt::Written(end)),
            Err(Error::Refused(problem)) => Ok(Attempt::Refused(place.load(Ordering::Relaxed), *problem)),
            Err(fault) => Err(fault),
        }
    }

    /// Tries the entries in a transaction that is rolled back, and records in another one what would have come of them.
    async fn attempt_dry(
        &self,
        claim: ImportClaim,
        group: &Arc<Group>,
        range: Range<usize>,
        refused: &BTreeMap<usize, Problem>,
    ) -> Result<Attempt> {
        let owner = claim.owner;
        let log = self.context.event_log(Actor::Job("imports"), owner, self.context.now());
        let place = Arc::new(AtomicUsize::new(range.start));
        let found: Arc<Mutex<Option<Outcomes>>> = Arc::default();
        let (tried, at, to_tell) = (Arc::clone(group), Arc::clone(&place), Arc::clone(&found));
        let (refused, all, trial_log) = (refused.clone(), range.clone(), log.clone());
        let trial = self.context.db().write(owner, async move |tx| {
            let outcomes = apply_all(tx, &claim, &tried, all.clone(), &refused, &at, &trial_log).await?;
            *to_tell.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcomes);
            // Any refusal rolls the transaction back.
            Err::<(), _>(Code::ImportStopped.into())
        });
        let trial = trial.await;
        let outcomes = found.lock().unwrap_or_else(PoisonError::into_inner).take();
        let outcomes = match (outcomes, trial) {
            (Some(outcomes), _) => outcomes,
            (None, Err(Error::Refused(problem))) => {
                return Ok(Attempt::Refused(place.load(Ordering::Relaxed), *problem));
            }
            (None, Err(fault)) => return Err(fault),
            (None, Ok(())) => return Err(Error::fault("a trial was committed")),
        };
        let group = Arc::clone(group);
        let write = self.context.db().write(owner, async move |tx| {
            let Some(stored) = held(tx, &claim).await? else { return Ok(GroupEnd::Over) };
            record(tx, &claim, &stored, &group, range.clone(), &outcomes, &log).await
        });
        let end = write.await?;
        self.context.notice(owner);
        Ok(Attempt::Written(end))
    }
}

/// Locks the import, if it is running and this node holds it.
async fn held(tx: &mut Tx<'_>, claim: &ImportClaim) -> Result<Option<StoredImport>> {
    let stored = imports::get_for_update(tx, claim.owner, claim.import).await?;
    let Some(stored) = stored.filter(|stored| stored.fence == claim.fence) else { return Ok(None) };
    let is_running = read_import(&stored)?.status == Status::Running;
    Ok(is_running.then_some(stored))
}

/// Applies entries one after the other. Stops behind a refused one if the import is to stop at errors.
async fn apply_all(
    tx: &mut Tx<'_>,
    claim: &ImportClaim,
    group: &Group,
    range: Range<usize>,
    refused: &BTreeMap<usize, Problem>,
    at: &AtomicUsize,
    log: &EventLog,
) -> Result<Outcomes> {
    let references = group.references(range.clone());
    let mut seen = BTreeSet::new();
    if !references.is_empty() {
        seen = import_rows::seen_references(tx, claim.owner, claim.import, &references).await?;
    }
    let mut outcomes = Vec::new();
    for place in range {
        let entry = &group.entries[place];
        at.store(place, Ordering::Relaxed);
        let is_apart = entry.key.as_ref().is_some_and(|key| seen.contains(key));
        let planned = match (refused.get(&place), &entry.refusal) {
            (Some(problem), _) | (None, Some(problem)) => Err(problem.clone().into()),
            (None, None) if is_apart => Err(Code::OrderRowsApart.into()),
            (None, None) if !entry.made.errors.is_empty() => Err(Code::ValidationFailed.into()),
            (None, None) => plan(tx, claim.owner, &group.input, &entry.made.body).await,
        };
        if group.input.r#type == ImportType::Orders {
            seen.extend(entry.key.clone());
        }
        let outcome = match planned {
            Ok(Action::Nothing(outcome)) => (outcome, None),
            Ok(action) => (perform(tx, claim.owner, action, log).await?, None),
            Err(Error::Refused(problem)) => (Outcome::Failed, Some(*problem)),
            Err(fault) => return Err(fault),
        };
        let is_failure = outcome.1.is_some();
        outcomes.push(outcome);
        if is_failure && group.input.options.on_error == OnError::Stop {
            break;
        }
    }
    Ok(outcomes)
}

/// Records what came of entries, and how far the file is read with them.
async fn record(
    tx: &mut Tx<'_>,
    claim: &ImportClaim,
    stored: &StoredImport,
    group: &Group,
    range: Range<usize>,
    outcomes: &Outcomes,
    log: &EventLog,
) -> Result<GroupEnd> {
    let mut import = read_import(stored)?;
    let done = range.start..range.start + outcomes.len();
    let mut progress = stored.progress;
    for (entry, (outcome, problem)) in group.entries[done.clone()].iter().zip(outcomes) {
        import.counts.count(*outcome);
        import.counts.rows += entry.rows_count;
        progress = entry.progress;
        if let Some(problem) = problem {
            record_failure(tx, claim, group, entry, problem).await?;
        }
    }
    let references = group.references(done);
    if !references.is_empty() {
        import_rows::insert_references(tx, claim.owner, claim.import, &references).await?;
    }
    import.counts.bytes = progress.position;
    import.updated_at = log.now();
    let event = end_early(&mut import, group, outcomes, log);
    let is_over = event.is_some();
    let event = event.or_else(|| progress_event(stored, log.now()));
    write_import(tx, claim.owner, stored, &import, progress, event, log).await?;
    Ok(if is_over { GroupEnd::Over } else { GroupEnd::More })
}

/// Ends an import that is to stop at an error, or has too many. Returns the event of that.
fn end_early(
    import: &mut Import,
    group: &Group,
    outcomes: &Outcomes,
    log: &EventLog,
) -> Option<&'static str> {
    let has_failed = outcomes.iter().any(|(outcome, _)| *outcome == Outcome::Failed);
    let code = match group.input.options.on_error {
        OnError::Stop if has_failed => Code::ImportStopped,
        _ if import.counts.failed >= FAILURES_MAX => Code::ImportTooManyErrors,
        _ => return None,
    };
    import.fail(&code.into(), log.now());
    Some("import.failed")
}

/// Records why an entry was refused, and its rows.
async fn record_failure(
    tx: &mut Tx<'_>,
    claim: &ImportClaim,
    group: &Group,
    entry: &Entry,
    problem: &Problem,
) -> Result<()> {
    let of_rows = !entry.made.errors.is_empty() && problem.code == Code::ValidationFailed;
    let errors = entry.errors(&group.layout, (!of_rows).then_some(problem));
    for error in &errors {
        import_rows::insert_error(tx, claim.owner, claim.import, &json(error)?).await?;
    }
    for row in &entry.rows {
        let own: Vec<&RowError> = errors.iter().filter(|error| error.row == row.number).collect();
        let words = own.iter().map(|error| match &error.column {
            Some(column) => format!("{column}: {}", error.message),
            None => error.message.clone(),
        });
        let row = FailedRow {
            number: row.number,
            fields: json(&row.fields)?,
            // The header of a column may have any characters, and PostgreSQL can't store a NUL.
            message: words.collect::<Vec<_>>().join(" ").replace(char::is_control, " "),
        };
        import_rows::insert_row(tx, claim.owner, claim.import, &row).await?;
    }
    Ok(())
}
