//! Any bytes on a connection: the intake passes the same of them on, in whichever pieces they arrive.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[expect(
    dead_code,
    unused_imports,
    reason = "the target needs the intake alone, not what the server asks it"
)]
#[path = "../../crates/api/src/platform/intake/mod.rs"]
mod intake;

use intake::Intake;

/// Bytes passed, and the status of the refusal that ended it.
fn admitted(stream: &[u8], piece: usize) -> (usize, Option<u16>) {
    let mut intake = Intake::new();
    let (mut passed, mut arrived) = (0, 0);
    while arrived < stream.len() {
        arrived = stream.len().min(arrived + piece);
        let waiting = &stream[passed..arrived];
        let verdict = intake.admit(waiting);
        assert!(verdict.passed <= waiting.len());
        passed += verdict.passed;
        if let Some(problem) = verdict.refusal {
            return (passed, Some(problem.code.status()));
        }
    }
    (passed, None)
}

fuzz_target!(|bytes: &[u8]| {
    let [piece, stream @ ..] = bytes else { return };
    let whole = admitted(stream, stream.len().max(1));
    assert_eq!(admitted(stream, usize::from(*piece).max(1)), whole);
});
