//! The queue between callers and the database's threads. Tenants take turns, so a caller does not wait for everything
//! that another organisation has queued.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use model::platform::fair::{Queue, Tenant};
use model::{Code, Error, Result};

/// How often a thread checks an empty queue before it sleeps: first with pauses that double, then yielding to other
/// threads.
const SPINS: u32 = 6;
const YIELDS: u32 = 4;

/// The callers' end of the queue. Once it is dropped and the queue is empty, the threads end.
pub struct Jobs<J>(Arc<Shared<J>>);

/// A thread's end of the queue. Dropping the last one, for example because its thread panicked, closes the queue.
pub struct Worker<J>(Arc<Shared<J>>);

struct Shared<J> {
    state: Mutex<State<J>>,
    /// Notified once for each job while a thread sleeps.
    wake: Condvar,
}

struct State<J> {
    queue: Queue<Tenant, J>,
    /// Threads that sleep until a job comes. If there are none, the caller saves the system call that wakes one.
    sleeping: usize,
    workers: usize,
    is_closed: bool,
}

impl<J> Jobs<J> {
    /// Makes a queue of at most `waiting_max` jobs, without a thread.
    pub fn new(waiting_max: usize) -> Self {
        let state = State { queue: Queue::new(waiting_max), sleeping: 0, workers: 0, is_closed: false };
        Self(Arc::new(Shared { state: Mutex::new(state), wake: Condvar::new() }))
    }

    /// Returns the receiving end for one more thread.
    pub fn worker(&self) -> Worker<J> {
        self.0.state().workers += 1;
        Worker(Arc::clone(&self.0))
    }

    /// Queues a job. If the queue is full, the tenant with the most queued jobs gives way: either this job is
    /// refused, or the newest job of that tenant is dropped.
    pub fn push(&self, tenant: Tenant, job: J) -> Result<()> {
        let mut state = self.0.state();
        if state.workers == 0 {
            return Err(ended());
        }
        let displaced = state.queue.push(tenant, job).map_err(|_| Code::Overloaded)?;
        let must_wake = state.sleeping > 0;
        drop(state);
        drop(displaced);
        if must_wake {
            self.0.wake.notify_one();
        }
        Ok(())
    }

    /// Returns why a job was dropped without being run.
    pub fn dropped(&self) -> Error {
        if self.0.state().workers == 0 { ended() } else { Code::Overloaded.into() }
    }
}

impl<J> Worker<J> {
    /// Waits for the next job. Returns `None` once the callers' end is dropped and the queue is empty.
    pub fn recv(&self) -> Option<(Tenant, J)> {
        if let Some(job) = self.snooze(None) {
            return Some(job);
        }
        let mut state = self.0.state();
        loop {
            if let Some(job) = state.queue.pop() {
                return Some(job);
            }
            if state.is_closed {
                return None;
            }
            state.sleeping += 1;
            state = self.0.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.sleeping -= 1;
        }
    }

    /// Waits for the next job until the deadline.
    pub fn recv_deadline(&self, deadline: Instant) -> Option<(Tenant, J)> {
        if let Some(job) = self.snooze(Some(deadline)) {
            return Some(job);
        }
        let mut state = self.0.state();
        loop {
            if let Some(job) = state.queue.pop() {
                return Some(job);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if state.is_closed || left.is_zero() {
                return None;
            }
            state.sleeping += 1;
            state = self.0.wake.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
            state.sleeping -= 1;
        }
    }

    /// Polls the queue for some microseconds before the thread sleeps. Under load the next job arrives within that
    /// time, which saves the thread and the caller the system calls for sleeping and waking.
    fn snooze(&self, deadline: Option<Instant>) -> Option<(Tenant, J)> {
        for step in 0..SPINS + YIELDS {
            if let Some(job) = self.try_recv() {
                return Some(job);
            }
            if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                return None;
            }
            match step < SPINS {
                true => (0..1 << step).for_each(|_| std::hint::spin_loop()),
                false => std::thread::yield_now(),
            }
        }
        None
    }

    /// Takes the next job if there is one.
    pub fn try_recv(&self) -> Option<(Tenant, J)> {
        self.0.state().queue.pop()
    }
}

impl<J> Shared<J> {
    fn state(&self) -> MutexGuard<'_, State<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn ended() -> Error {
    Error::unavailable("the database thread has ended")
}

impl<J> Drop for Jobs<J> {
    fn drop(&mut self) {
        self.0.state().is_closed = true;
        self.0.wake.notify_all();
    }
}

impl<J> Drop for Worker<J> {
    fn drop(&mut self) {
        let mut left = Vec::new();
        {
            let mut state = self.0.state();
            state.workers -= 1;
            while state.workers == 0
                && let Some(job) = state.queue.pop()
            {
                left.push(job);
            }
        }
        // Dropped after unlocking: dropping a job wakes its caller.
        drop(left);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use model::Id;

    use super::*;

    fn tenant(number: u128) -> Tenant {
        Tenant::Organisation(Id::from_bits(number))
    }

    #[test]
    fn tenants_take_turns_and_the_longest_line_gives_way() {
        let jobs = Jobs::new(3);
        let worker = jobs.worker();
        for number in 0..3 {
            jobs.push(tenant(1), number).unwrap();
        }
        assert!(jobs.push(tenant(1), 3).is_err());
        jobs.push(tenant(2), 10).unwrap();
        let taken: Vec<_> = std::iter::from_fn(|| worker.try_recv()).map(|(_, job)| job).collect();
        assert_eq!(taken, [0, 10, 1]);
        assert_eq!(worker.recv_deadline(Instant::now() + Duration::from_millis(1)), None);
    }

    #[test]
    fn a_sleeping_thread_is_woken_and_ends_with_the_callers() {
        let jobs = Jobs::new(100);
        let threads = [jobs.worker(), jobs.worker()]
            .map(|worker| std::thread::spawn(move || std::iter::from_fn(|| worker.recv()).count()));
        for number in 0..50 {
            jobs.push(Tenant::System, number).unwrap();
            std::thread::sleep(Duration::from_micros(200));
        }
        drop(jobs);
        assert_eq!(threads.into_iter().map(|thread| thread.join().unwrap()).sum::<usize>(), 50);
    }

    #[test]
    fn without_a_thread_nothing_is_queued() {
        let jobs = Jobs::new(100);
        let worker = jobs.worker();
        jobs.push(Tenant::System, 1).unwrap();
        drop(worker);
        assert!(jobs.push(Tenant::System, 2).is_err());
        assert_eq!(jobs.dropped().to_string(), ended().to_string());
        assert!(jobs.0.state().queue.is_empty());
    }
}
