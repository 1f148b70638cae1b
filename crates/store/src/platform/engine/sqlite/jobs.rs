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
    /// Jobs with their numbers, which count the jobs that were ever queued.
    queue: Queue<Tenant, (u64, J)>,
    last_number: u64,
    /// Threads that look into the queue again within microseconds. Each takes one job without being woken.
    polling: usize,
    /// Threads that sleep until a job comes. If there are none, the caller saves the system call that wakes one.
    sleeping: usize,
    workers: usize,
    is_closed: bool,
}

impl<J> Jobs<J> {
    /// Makes a queue of at most `waiting_max` jobs, without a thread.
    pub fn new(waiting_max: usize) -> Self {
        let state = State {
            queue: Queue::new(waiting_max),
            last_number: 0,
            polling: 0,
            sleeping: 0,
            workers: 0,
            is_closed: false,
        };
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
        state.last_number += 1;
        let number = state.last_number;
        let displaced = state.queue.push(tenant, (number, job)).map_err(|_| Code::Overloaded)?;
        let must_wake = state.sleeping > 0 && state.queue.len() > state.polling;
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
        let mut state = match self.snooze(None) {
            Ok(job) => return Some(job),
            Err(state) => state,
        };
        loop {
            if let Some(job) = state.pop() {
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
        let mut state = match self.snooze(Some(deadline)) {
            Ok(job) => return Some(job),
            Err(state) => state,
        };
        loop {
            if let Some(job) = state.pop() {
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
    /// time, which saves the thread and the caller the system calls for sleeping and waking. If no job arrives, returns
    /// the locked state, so that none can arrive unnoticed before the thread sleeps.
    fn snooze(
        &self,
        deadline: Option<Instant>,
    ) -> std::result::Result<(Tenant, J), MutexGuard<'_, State<J>>> {
        let mut state = self.0.state();
        if let Some(job) = state.pop() {
            return Ok(job);
        }
        state.polling += 1;
        for step in 0..SPINS + YIELDS {
            if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                break;
            }
            drop(state);
            match step < SPINS {
                true => (0..1 << step).for_each(|_| std::hint::spin_loop()),
                false => std::thread::yield_now(),
            }
            state = self.0.state();
            if let Some(job) = state.pop() {
                state.polling -= 1;
                return Ok(job);
            }
        }
        state.polling -= 1;
        Err(state)
    }

    /// Takes the next job if there is one.
    pub fn try_recv(&self) -> Option<(Tenant, J)> {
        self.0.state().pop()
    }

    /// Returns the number of the last job that was queued, for [`Worker::recv_up_to`].
    pub fn last_number(&self) -> u64 {
        self.0.state().last_number
    }

    /// Takes the next job if it was not queued after the job of this number.
    pub fn recv_up_to(&self, number: u64) -> Option<(Tenant, J)> {
        let mut state = self.0.state();
        let is_wanted = state.queue.next().is_some_and(|(queued, _)| *queued <= number);
        if is_wanted { state.pop() } else { None }
    }
}

impl<J> State<J> {
    fn pop(&mut self) -> Option<(Tenant, J)> {
        self.queue.pop().map(|(tenant, (_, job))| (tenant, job))
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
                && let Some(job) = state.pop()
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
    fn only_jobs_that_were_queued_before_are_taken() {
        let jobs = Jobs::new(100);
        let worker = jobs.worker();
        for number in 0..2 {
            jobs.push(tenant(1), number).unwrap();
        }
        let last = worker.last_number();
        jobs.push(tenant(2), 10).unwrap();
        jobs.push(tenant(1), 2).unwrap();
        assert_eq!(worker.recv_up_to(last).map(|(_, job)| job), Some(0));
        assert_eq!(worker.recv_up_to(last), None, "it is the turn of the other tenant, whose job came later");
        let rest: Vec<_> = std::iter::from_fn(|| worker.try_recv()).map(|(_, job)| job).collect();
        assert_eq!(rest, [10, 1, 2]);
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
