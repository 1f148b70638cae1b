//! Checks that a history is linearizable: each operation took effect at one moment between its start and its end.
//!
//! `stateright` searches for such moments. This module defines the specification that it compares histories with.

use std::sync::Mutex;

use stateright::semantics::{ConsistencyTester, LinearizabilityTester, SequentialSpec};

/// A number of units that operations take and give: what an order still wants, or the stock at a location.
#[derive(Clone, Debug)]
pub struct Units {
    pub left: i64,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Operation {
    Take(i64),
    Give(i64),
    Set(i64),
    Read,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Outcome {
    Done,
    Refused,
    Left(i64),
}

impl SequentialSpec for Units {
    type Op = Operation;
    type Ret = Outcome;

    fn invoke(&mut self, operation: &Operation) -> Outcome {
        match *operation {
            Operation::Take(units) if units > self.left => return Outcome::Refused,
            Operation::Take(units) => self.left -= units,
            Operation::Give(units) => self.left += units,
            Operation::Set(units) => self.left = units,
            Operation::Read => return Outcome::Left(self.left),
        }
        Outcome::Done
    }
}

/// Records what several clients do at once.
pub struct Recorder(Mutex<Recorded>);

struct Recorded {
    tester: LinearizabilityTester<usize, Units>,
    in_flight: usize,
    overlaps: u64,
}

impl Recorder {
    pub fn new(left: i64) -> Self {
        let tester = LinearizabilityTester::new(Units { left });
        Self(Mutex::new(Recorded { tester, in_flight: 0, overlaps: 0 }))
    }

    /// Records an operation from before its request is sent until after its answer has come.
    pub fn run(&self, client: usize, operation: Operation, work: impl FnOnce() -> Outcome) {
        self.begin(client, operation);
        let outcome = work();
        self.end(client, outcome);
    }

    fn begin(&self, client: usize, operation: Operation) {
        let mut recorded = self.0.lock().unwrap();
        recorded.overlaps += u64::from(recorded.in_flight > 0);
        recorded.in_flight += 1;
        recorded.tester.on_invoke(client, operation).expect("one operation at a time for each client");
    }

    fn end(&self, client: usize, outcome: Outcome) {
        let mut recorded = self.0.lock().unwrap();
        recorded.in_flight -= 1;
        recorded.tester.on_return(client, outcome).expect("an operation that began");
    }

    /// Returns how many operations there were, and how many began while another was under way. Panics if the history is not
    /// linearizable.
    pub fn check(self) -> (usize, u64) {
        let is_explained = self.is_explained();
        let recorded = self.0.into_inner().unwrap();
        assert!(is_explained, "not linearizable: {:#?}", recorded.tester);
        (recorded.tester.len(), recorded.overlaps)
    }

    fn is_explained(&self) -> bool {
        self.0.lock().unwrap().tester.is_consistent()
    }
}

#[test]
fn histories_that_can_be_explained_are_accepted() {
    let recorder = Recorder::new(3);
    // Both are under way at once. The second is refused, so the first took effect before it.
    recorder.begin(1, Operation::Take(2));
    recorder.begin(2, Operation::Take(2));
    recorder.end(2, Outcome::Refused);
    recorder.end(1, Outcome::Done);
    recorder.run(3, Operation::Read, || Outcome::Left(1));
    recorder.run(1, Operation::Give(1), || Outcome::Done);
    recorder.run(2, Operation::Take(2), || Outcome::Done);
    assert!(recorder.is_explained());
}

#[test]
fn an_oversold_history_is_rejected() {
    let recorder = Recorder::new(3);
    recorder.begin(1, Operation::Take(2));
    recorder.begin(2, Operation::Take(2));
    recorder.end(2, Outcome::Done);
    recorder.end(1, Outcome::Done);
    assert!(!recorder.is_explained());
}

#[test]
fn a_read_of_the_past_is_rejected() {
    let recorder = Recorder::new(3);
    recorder.run(1, Operation::Take(2), || Outcome::Done);
    recorder.run(2, Operation::Read, || Outcome::Left(3));
    assert!(!recorder.is_explained());
}

#[test]
fn a_refusal_without_a_reason_is_rejected() {
    let recorder = Recorder::new(3);
    recorder.begin(1, Operation::Take(2));
    recorder.begin(2, Operation::Take(1));
    recorder.end(1, Outcome::Done);
    recorder.end(2, Outcome::Refused);
    assert!(!recorder.is_explained());
}
