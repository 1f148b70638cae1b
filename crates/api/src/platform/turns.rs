//! Turns at the processor: how many connections are runnable at once, and whose runs next.
//!
//! tokio runs tasks in the order in which they were woken. One commit wakes every write that it holds, so an organisation
//! that writes on many connections puts all of them in front of another's request, at each of the request's steps. Here a
//! woken connection asks for a turn before tokio hears of it. There are few turns, so tokio's queue is short, and the
//! connections that wait for a turn wait in the lines of their organisations.

use std::future::Future;
use std::mem::replace;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use model::platform::fair::{Asked, Permits, Tenant};
use tokio::task::futures::TaskLocalFuture;

tokio::task_local! {
    /// The seat of the connection that is being polled.
    static CURRENT: Arc<Seat>;
}

/// The turns of a server. Clones share them.
#[derive(Clone)]
pub struct Turns(Arc<Mutex<Permits<Tenant, Arc<Seat>>>>);

/// Counts the next turns of the connection that runs here as this tenant's. Without a connection it does nothing.
pub fn count_as(tenant: Tenant) {
    let _without_connection = CURRENT.try_with(|seat| seat.state().tenant = tenant);
}

/// A connection's place at the turns.
struct Seat {
    turns: Turns,
    state: Mutex<State>,
}

struct State {
    /// Whose turns the next ones are.
    tenant: Tenant,
    /// Wakes the task that polls the connection.
    task: Option<Waker>,
    stage: Stage,
}

/// Where a connection is. The tenant is the one that the turn was asked for.
#[derive(Clone, Copy)]
enum Stage {
    /// Nothing has happened since the last turn.
    Idle,
    /// In the tenant's line, under this ticket.
    Waiting(Tenant, u64),
    /// It has a turn, and its task is woken.
    Granted(Tenant),
    /// It is being polled.
    Running { tenant: Tenant, is_woken: bool },
    /// It needs no turn any more.
    Ended,
}

impl Turns {
    /// Makes as many turns as there are worker threads. When a turn ends, the thread that ran it runs the next one.
    pub fn new(workers: usize) -> Self {
        Self(Arc::new(Mutex::new(Permits::new(workers, workers))))
    }

    /// Returns the connection as a future that is polled only in its turns. They count as those of [`Tenant::Unknown`] until
    /// the connection calls [`count_as`].
    pub fn share<F: Future>(&self, connection: F) -> InTurn<F> {
        let state = State { tenant: Tenant::Unknown, task: None, stage: Stage::Idle };
        let seat = Arc::new(Seat { turns: self.clone(), state: Mutex::new(state) });
        let connection = Box::pin(CURRENT.scope(Arc::clone(&seat), connection));
        InTurn { connection, waker: Waker::from(Arc::clone(&seat)), seat }
    }

    /// Ends a turn, and gives it to the next connection that waits.
    fn give_back(&self, tenant: Tenant) {
        let mut next = self.books().give_back(tenant);
        // A connection that ended after it left the line does not take the turn, which then goes on.
        while let Some((tenant, seat)) = next {
            if seat.grant(tenant) {
                return;
            }
            next = self.books().give_back(tenant);
        }
    }

    /// Locks the books. A thread that also needs a seat's state locks that first, as [`Seat::ask`] is called: in the other
    /// order two threads could wait for each other.
    fn books(&self) -> MutexGuard<'_, Permits<Tenant, Arc<Seat>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    /// Asks for a turn. Returns the stage that follows.
    fn ask(self: &Arc<Self>, tenant: Tenant) -> Stage {
        match self.turns.books().ask(tenant, Arc::clone(self)) {
            Asked::Granted => Stage::Granted(tenant),
            Asked::Waits(ticket) => Stage::Waiting(tenant, ticket),
        }
    }

    /// Takes the turn that this connection has waited for. Returns `false` if the connection has ended.
    fn grant(&self, tenant: Tenant) -> bool {
        let mut state = self.state();
        if !matches!(state.stage, Stage::Waiting(..)) {
            return false;
        }
        state.stage = Stage::Granted(tenant);
        let task = state.task.clone();
        drop(state);
        task.into_iter().for_each(Waker::wake);
        true
    }

    /// Begins a turn. Returns `false` if the connection has to wait for one.
    fn begin(self: &Arc<Self>, task: &Waker) -> bool {
        let mut state = self.state();
        if !state.task.as_ref().is_some_and(|known| known.will_wake(task)) {
            state.task = Some(task.clone());
        }
        if matches!(state.stage, Stage::Idle) {
            state.stage = self.ask(state.tenant);
        }
        let Stage::Granted(tenant) = state.stage else { return false };
        state.stage = Stage::Running { tenant, is_woken: false };
        true
    }

    /// Ends a turn. If the connection was woken during it, the connection asks for another, behind those that wait.
    fn end(self: &Arc<Self>) {
        let Stage::Running { tenant, is_woken } = replace(&mut self.state().stage, Stage::Idle) else {
            return;
        };
        self.turns.give_back(tenant);
        if is_woken {
            self.wake_by_ref();
        }
    }

    /// Leaves the line, or gives the turn back.
    fn leave(&self) {
        let mut state = self.state();
        let (stage, task) = (replace(&mut state.stage, Stage::Ended), state.task.take());
        drop(state);
        // The task may be freed with its last waker.
        drop(task);
        match stage {
            // If it is in line no more, the turn is on its way here, and goes on from there.
            Stage::Waiting(tenant, ticket) => drop(self.turns.books().leave(tenant, ticket)),
            Stage::Granted(tenant) | Stage::Running { tenant, .. } => self.turns.give_back(tenant),
            Stage::Idle | Stage::Ended => {}
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the connection waits for wakes its seat: the task follows when the connection has a turn.
impl Wake for Seat {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let mut state = self.state();
        match &mut state.stage {
            Stage::Idle => state.stage = self.ask(state.tenant),
            Stage::Running { is_woken, .. } => {
                *is_woken = true;
                return;
            }
            Stage::Waiting(..) | Stage::Granted(_) | Stage::Ended => return,
        }
        if matches!(state.stage, Stage::Granted(_)) {
            let task = state.task.clone();
            drop(state);
            task.into_iter().for_each(Waker::wake);
        }
    }
}

/// A connection that is polled only in its turns.
pub struct InTurn<F: Future> {
    connection: Pin<Box<TaskLocalFuture<Arc<Seat>, F>>>,
    seat: Arc<Seat>,
    waker: Waker,
}

impl<F: Future> Future for InTurn<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = &mut *self;
        if !this.seat.begin(context.waker()) {
            return Poll::Pending;
        }
        // If it panics, the task drops this future, and that gives the turn back.
        let polled = this.connection.as_mut().poll(&mut Context::from_waker(&this.waker));
        this.seat.end();
        polled
    }
}

impl<F: Future> Drop for InTurn<F> {
    fn drop(&mut self) {
        self.seat.leave();
    }
}

#[cfg(test)]
mod tests;
