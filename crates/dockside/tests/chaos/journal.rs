//! The journal: every answer that the clients got, one line of JSON each, in a file that no server touches.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

/// An answer that a client got.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(tag = "told", rename_all = "snake_case")]
pub enum Word {
    /// A shipment was made.
    Made { shipment: String },
    /// A batch was made of these.
    Batch { batch: String, mode: String, shipments: Vec<String> },
    /// The purchase of a batch was accepted, or is complete.
    Accepted { batch: String, status: u16 },
    /// The progress of a batch.
    Progress { batch: String, status: String, purchased: i64 },
    /// A shipment was bought.
    Purchased { shipment: String, number: String },
    /// The server accepted a person's resolution of a purchase.
    Resolved { shipment: String, outcome: String },
}

pub struct Journal(Mutex<File>);

impl Journal {
    pub fn new(file: &Path) -> Self {
        Self(Mutex::new(File::create(file).expect("a file")))
    }

    pub fn note(&self, word: &Word) {
        let line = format!("{}\n", serde_json::to_string(word).expect("a line"));
        self.0.lock().unwrap().write_all(line.as_bytes()).expect("a file that can be written");
    }
}

/// Reads the whole journal, in order.
pub fn read(file: &Path) -> Vec<Word> {
    let text = std::fs::read_to_string(file).expect("a journal");
    text.lines().map(|line| serde_json::from_str(line).expect("a line of a journal")).collect()
}
