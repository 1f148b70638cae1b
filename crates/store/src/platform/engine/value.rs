//! Values that are exchanged with a database, of four kinds, and rows of them.

use model::platform::id::Kind;
use model::{Error, Id, Owner, Result, Timestamp};

/// A value of a row or for a placeholder. Timestamps are microseconds, booleans are 0 and 1, documents are text.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Int(i64),
    Text(String),
    Blob(Vec<u8>),
}

impl From<i64> for Value {
    fn from(int: i64) -> Self {
        Value::Int(int)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::Text(text)
    }
}

impl From<&[u8]> for Value {
    fn from(bytes: &[u8]) -> Self {
        Value::Blob(bytes.to_vec())
    }
}

impl From<Owner> for Value {
    fn from(owner: Owner) -> Self {
        Value::Text(owner.to_string())
    }
}

impl From<Timestamp> for Value {
    fn from(moment: Timestamp) -> Self {
        Value::Int(moment.as_micros())
    }
}

impl<K: Kind> From<Id<K>> for Value {
    fn from(id: Id<K>) -> Self {
        Value::Text(id.text())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

/// One row of a result. Reading a column takes its value out of the row.
#[derive(Debug)]
pub struct Row(pub(super) Vec<Value>);

impl Row {
    /// Returns how many bytes of text and blobs the row holds.
    pub fn bytes(&self) -> usize {
        let bytes = |value: &Value| match value {
            Value::Null | Value::Int(_) => 0,
            Value::Text(text) => text.len(),
            Value::Blob(bytes) => bytes.len(),
        };
        self.0.iter().map(bytes).sum()
    }

    fn take(&mut self, column: usize) -> Value {
        self.0.get_mut(column).map_or(Value::Null, |value| std::mem::replace(value, Value::Null))
    }

    /// Returns the first column, by which a page is sorted, and leaves it in the row.
    pub fn key(&self) -> Result<String> {
        match self.0.first() {
            Some(Value::Text(key)) => Ok(key.clone()),
            Some(Value::Int(key)) => Ok(key.to_string()),
            other => Err(surprise(0, "a key", other.unwrap_or(&Value::Null))),
        }
    }

    pub fn int(&mut self, column: usize) -> Result<i64> {
        match self.take(column) {
            Value::Int(int) => Ok(int),
            other => Err(surprise(column, "an integer", &other)),
        }
    }

    pub fn int_or_null(&mut self, column: usize) -> Result<Option<i64>> {
        match self.take(column) {
            Value::Null => Ok(None),
            Value::Int(int) => Ok(Some(int)),
            other => Err(surprise(column, "an integer or null", &other)),
        }
    }

    pub fn text(&mut self, column: usize) -> Result<String> {
        match self.take(column) {
            Value::Text(text) => Ok(text),
            other => Err(surprise(column, "text", &other)),
        }
    }

    pub fn text_or_null(&mut self, column: usize) -> Result<Option<String>> {
        match self.take(column) {
            Value::Null => Ok(None),
            Value::Text(text) => Ok(Some(text)),
            other => Err(surprise(column, "text or null", &other)),
        }
    }

    pub fn blob(&mut self, column: usize) -> Result<Vec<u8>> {
        match self.take(column) {
            Value::Blob(bytes) => Ok(bytes),
            other => Err(surprise(column, "bytes", &other)),
        }
    }

    pub fn blob_or_null(&mut self, column: usize) -> Result<Option<Vec<u8>>> {
        match self.take(column) {
            Value::Null => Ok(None),
            Value::Blob(bytes) => Ok(Some(bytes)),
            other => Err(surprise(column, "bytes or null", &other)),
        }
    }

    pub fn moment(&mut self, column: usize) -> Result<Timestamp> {
        self.int(column).map(Timestamp::from_micros)
    }

    pub fn moment_or_null(&mut self, column: usize) -> Result<Option<Timestamp>> {
        match self.take(column) {
            Value::Null => Ok(None),
            Value::Int(micros) => Ok(Some(Timestamp::from_micros(micros))),
            other => Err(surprise(column, "a moment or null", &other)),
        }
    }

    pub fn id<K: Kind>(&mut self, column: usize) -> Result<Id<K>> {
        let text = self.text(column)?;
        Id::parse(&text).ok_or_else(|| Error::fault(format!("column {column} holds no {} id", K::PREFIX)))
    }

    pub fn id_or_null<K: Kind>(&mut self, column: usize) -> Result<Option<Id<K>>> {
        match self.0.get(column) {
            None | Some(Value::Null) => Ok(None),
            Some(_) => self.id(column).map(Some),
        }
    }

    pub fn owner(&mut self, column: usize) -> Result<Owner> {
        let key = self.text(column)?;
        Owner::parse(&key).ok_or_else(|| Error::fault(format!("column {column} holds no owner")))
    }
}

/// The error if the schema and the code disagree: an internal error that names the column without showing the data.
fn surprise(column: usize, expected: &str, found: &Value) -> Error {
    let found = match found {
        Value::Null => "null",
        Value::Int(_) => "an integer",
        Value::Text(_) => "text",
        Value::Blob(_) => "bytes",
    };
    Error::fault(format!("column {column} should hold {expected} but holds {found}"))
}

/// Returns ids as a JSON list, which both engines can join.
pub(crate) fn id_list<K: Kind>(ids: &[Id<K>]) -> Value {
    Value::Text(serde_json::Value::from_iter(ids.iter().map(ToString::to_string)).to_string())
}
