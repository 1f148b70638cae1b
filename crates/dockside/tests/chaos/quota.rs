//! How many shipments were made, and how many may be made, so that purchases and kills happen at the same time.

use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Default)]
pub struct Quota {
    made: AtomicUsize,
    allowed: AtomicUsize,
}

impl Quota {
    pub fn is_open(&self) -> bool {
        self.made.load(Ordering::Relaxed) < self.allowed.load(Ordering::Relaxed)
    }

    pub fn note(&self, made: usize) {
        self.made.fetch_add(made, Ordering::Relaxed);
    }

    pub fn allow(&self, all: usize) {
        self.allowed.store(all, Ordering::Relaxed);
    }
}
