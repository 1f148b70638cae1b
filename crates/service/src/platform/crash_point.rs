//! Crash points: named places in the course of a purchase, a wave, an import, an e-mail, a backup or a restore at which a debug build aborts if the environment says so, so that
//! a test can crash it at each of them instead of waiting for chance. Release builds contain none of them.
//!
//! `DOCKSIDE_CRASH_AT=after_send` aborts the first time that this place is reached, `DOCKSIDE_CRASH_AT=after_send:5` the fifth
//! time. An abort runs no destructor and flushes nothing: to other processes it looks like a `kill -9`.

/// The places, in the order in which a batch without errors passes them:
///
/// - `after_begin`: a batch is committed to be `purchasing`, and no purchase of its shipments is stored yet;
/// - `after_intent`: a group of a batch's purchases is committed, and no node has claimed one;
/// - `after_claim`: purchases are committed to be held by this node, and no work on them has begun;
/// - `after_call`: it is committed that carriers are being called (`calling`), and no byte has left;
/// - `after_send`: a carrier's answer to a purchase has arrived, and is not recorded;
/// - `after_look_up`: a carrier's answer to a look-up has arrived, and is not recorded;
/// - `before_record`: the outcomes of a group of purchases are known, and the transaction that records them has not begun;
/// - `after_receipt`: receipts are committed, and their labels are neither drawn nor stored;
/// - `after_papers`: files of labels are stored, and their document rows are not;
/// - `after_record`: a group is recorded with its shipments, counts and events, and no other task was notified;
/// - `after_finish`: a batch is committed to be finished, and no other task was notified.
pub const POINTS: [&str; 11] = [
    "after_begin",
    "after_intent",
    "after_claim",
    "after_call",
    "after_send",
    "after_look_up",
    "before_record",
    "after_receipt",
    "after_papers",
    "after_record",
    "after_finish",
];

/// The places that a wave passes:
///
/// - `before_wave_group`: the shipments of a group of orders are committed, and are in no batch yet;
/// - `after_wave_group`: a group is recorded with its batches, and the next one has not begun;
/// - `before_wave_purchase`: all orders are processed, and a batch of the wave is not being bought yet.
pub const WAVE_POINTS: [&str; 3] = ["before_wave_group", "after_wave_group", "before_wave_purchase"];

/// The places that an import passes:
///
/// - `before_import_group`: a group of rows is read, and nothing of it is written;
/// - `after_import_group`: a group is written, and the next one is not read yet.
pub const IMPORT_POINTS: [&str; 2] = ["before_import_group", "after_import_group"];

/// The places that an e-mail passes:
///
/// - `after_mail_claim`: e-mails are committed to be held by this node, and none is sent;
/// - `after_mail_sent`: the mail server has an e-mail, and that is not recorded.
pub const MAIL_POINTS: [&str; 2] = ["after_mail_claim", "after_mail_sent"];

/// The places that `dockside backup` passes:
///
/// - `after_backup_copy`: the database is copied, and nothing is in the archive;
/// - `before_backup_rename`: the archive is whole and verified, and does not have its name yet.
pub const BACKUP_POINTS: [&str; 2] = ["after_backup_copy", "before_backup_rename"];

/// The places that `dockside restore` passes:
///
/// - `before_restore_commit`: the archive is unpacked and verified, and the old store is in place;
/// - `after_restore_commit`: the new store is to take the place of the old one, and nothing was moved;
/// - `after_restore_log`: the write-ahead log of the old database is gone, and the old database is in place;
/// - `after_restore_database`: the new database is in place, and the new files are not;
/// - `after_restore_files`: everything is in place, and the command does not know it yet.
pub const RESTORE_POINTS: [&str; 5] = [
    "before_restore_commit",
    "after_restore_commit",
    "after_restore_log",
    "after_restore_database",
    "after_restore_files",
];

/// The environment variable that names the place, and how often it is to be passed.
pub const VARIABLE: &str = "DOCKSIDE_CRASH_AT";

/// A crash point. Its name is in one of the lists of its module, or it does not compile.
#[macro_export]
macro_rules! crash_point {
    ($name:literal) => {{
        const _: () = assert!($crate::platform::crash_point::is_point($name), "not one of the crash points");
        #[cfg(debug_assertions)]
        $crate::platform::crash_point::reach($name);
    }};
}
pub use crash_point;

/// Whether there is such a place.
#[must_use]
pub const fn is_point(name: &str) -> bool {
    is_among(&POINTS, name)
        || is_among(&WAVE_POINTS, name)
        || is_among(&IMPORT_POINTS, name)
        || is_among(&MAIL_POINTS, name)
        || is_among(&BACKUP_POINTS, name)
        || is_among(&RESTORE_POINTS, name)
}

const fn is_among(points: &[&str], name: &str) -> bool {
    let mut place = 0;
    while place < points.len() {
        if is_equal(points[place].as_bytes(), name.as_bytes()) {
            return true;
        }
        place += 1;
    }
    false
}

const fn is_equal(one: &[u8], other: &[u8]) -> bool {
    let mut place = 0;
    while place < one.len() && place < other.len() && one[place] == other[place] {
        place += 1;
    }
    place == one.len() && place == other.len()
}

#[cfg(debug_assertions)]
pub use armed::reach;

#[cfg(debug_assertions)]
mod armed {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::VARIABLE;

    /// The place at which this process is to abort, and how often it was passed.
    pub(super) struct Trap {
        name: String,
        nth: u64,
        passed: AtomicU64,
    }

    impl Trap {
        pub(super) fn parse(text: &str) -> Self {
            let (name, nth) = text.split_once(':').unwrap_or((text, ""));
            Self { name: name.to_owned(), nth: nth.parse().unwrap_or(1), passed: AtomicU64::new(0) }
        }

        /// Whether this is the time.
        pub(super) fn springs(&self, name: &str) -> bool {
            self.name == name && self.passed.fetch_add(1, Ordering::Relaxed) + 1 == self.nth
        }
    }

    /// Aborts where this place is the one, and this is the time.
    pub fn reach(name: &str) {
        static TRAP: OnceLock<Option<Trap>> = OnceLock::new();
        let trap = TRAP.get_or_init(|| std::env::var(VARIABLE).ok().map(|text| Trap::parse(&text)));
        if trap.as_ref().is_some_and(|trap| trap.springs(name)) {
            std::process::abort();
        }
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::armed::Trap;
    use super::*;

    #[test]
    fn a_trap_springs_at_its_place_and_at_its_time() {
        let trap = Trap::parse("after_send:3");
        assert!(!trap.springs("after_call"));
        let springs: Vec<_> = (0..5).map(|_| trap.springs("after_send")).collect();
        assert_eq!(springs, [false, false, true, false, false]);
        assert!(Trap::parse("after_send").springs("after_send"));
    }

    #[test]
    fn names_are_those_of_the_list() {
        let points = POINTS.into_iter().chain(WAVE_POINTS).chain(IMPORT_POINTS).chain(MAIL_POINTS);
        assert!(points.chain(BACKUP_POINTS).chain(RESTORE_POINTS).all(is_point));
        assert!(!is_point("after_sen") && !is_point("after_sends") && !is_point(""));
        crash_point!("after_send");
    }
}
