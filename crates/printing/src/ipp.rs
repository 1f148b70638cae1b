//! Messages of IPP (RFC 8010): requests as bytes, and bytes as answers. Pure, and bounded: an answer comes from a device that
//! may send anything.

use std::fmt;

/// The version of requests: 2.0.
const VERSION: [u8; 2] = [2, 0];
/// Attributes of an answer that are read at most. A printer tells about a hundred of itself.
const ATTRIBUTES_MAX: usize = 10_000;

/// Tags of groups.
pub const OPERATION_GROUP: u8 = 0x01;
pub const JOB_GROUP: u8 = 0x02;
pub const PRINTER_GROUP: u8 = 0x04;
const END: u8 = 0x03;
/// Tags below this one begin a group.
const FIRST_VALUE_TAG: u8 = 0x10;

/// Tags of values.
const INTEGER: u8 = 0x21;
const BOOLEAN: u8 = 0x22;
const ENUM: u8 = 0x23;
const RANGE: u8 = 0x33;
const TEXT_WITH_LANGUAGE: u8 = 0x35;
const NAME_WITH_LANGUAGE: u8 = 0x36;
const TEXT: u8 = 0x41;
const NAME: u8 = 0x42;
const KEYWORD: u8 = 0x44;
const URI: u8 = 0x45;
const CHARSET: u8 = 0x47;
const LANGUAGE: u8 = 0x48;
const MEDIA_TYPE: u8 = 0x49;

/// An operation, by its code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    PrintJob = 0x0002,
    GetJobAttributes = 0x0009,
    GetJobs = 0x000a,
    GetPrinterAttributes = 0x000b,
}

/// A value of an attribute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    Integer(i32),
    Enum(i32),
    Boolean(bool),
    Range(i32, i32),
    Name(String),
    Keyword(String),
    Uri(String),
    MediaType(String),
    /// A text of another kind.
    Text(String),
    /// What is neither a number nor a text, such as a collection or the absence of a value.
    Other(u8),
}

impl Value {
    /// Returns the text of a value that is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Name(text)
            | Self::Keyword(text)
            | Self::Uri(text)
            | Self::MediaType(text)
            | Self::Text(text) => Some(text),
            Self::Integer(_) | Self::Enum(_) | Self::Boolean(_) | Self::Range(..) | Self::Other(_) => None,
        }
    }

    /// Returns the number of a value that is one.
    pub fn as_number(&self) -> Option<i32> {
        match self {
            Self::Integer(number) | Self::Enum(number) => Some(*number),
            _ => None,
        }
    }
}

/// A request under construction.
pub struct Request {
    bytes: Vec<u8>,
}

impl Request {
    /// Begins a request about a printer, with the attributes that all requests have.
    pub fn new(operation: Operation, id: u32, printer_uri: &str) -> Self {
        let mut bytes = VERSION.to_vec();
        bytes.extend((operation as u16).to_be_bytes());
        bytes.extend(id.to_be_bytes());
        bytes.push(OPERATION_GROUP);
        let mut request = Self { bytes };
        request.put(CHARSET, "attributes-charset", b"utf-8");
        request.put(LANGUAGE, "attributes-natural-language", b"en");
        request.with("printer-uri", &Value::Uri(printer_uri.to_owned()))
    }

    /// Begins the group of the job's own attributes.
    #[must_use]
    pub fn job_group(mut self) -> Self {
        self.bytes.push(JOB_GROUP);
        self
    }

    /// Adds an attribute.
    #[must_use]
    pub fn with(mut self, name: &str, value: &Value) -> Self {
        match value {
            Value::Integer(number) => self.put(INTEGER, name, &number.to_be_bytes()),
            Value::Enum(number) => self.put(ENUM, name, &number.to_be_bytes()),
            Value::Boolean(claim) => self.put(BOOLEAN, name, &[u8::from(*claim)]),
            Value::Range(least, most) => {
                let ends = [least.to_be_bytes(), most.to_be_bytes()].concat();
                self.put(RANGE, name, &ends);
            }
            Value::Name(text) => self.put(NAME, name, text.as_bytes()),
            Value::Keyword(text) => self.put(KEYWORD, name, text.as_bytes()),
            Value::Uri(text) => self.put(URI, name, text.as_bytes()),
            Value::MediaType(text) => self.put(MEDIA_TYPE, name, text.as_bytes()),
            Value::Text(text) => self.put(TEXT, name, text.as_bytes()),
            Value::Other(tag) => self.put(*tag, name, &[]),
        }
        self
    }

    /// Adds an attribute with several keywords.
    #[must_use]
    pub fn with_keywords(mut self, name: &str, words: &[&str]) -> Self {
        for (place, word) in words.iter().enumerate() {
            // Further values have no name.
            self.put(KEYWORD, if place == 0 { name } else { "" }, word.as_bytes());
        }
        self
    }

    /// Returns the bytes of the request, to which a document may be appended.
    pub fn into_bytes(mut self) -> Vec<u8> {
        self.bytes.push(END);
        self.bytes
    }

    /// Writes an attribute. Texts are cut at the length that the two bytes of a length can tell, at a character's end.
    fn put(&mut self, tag: u8, name: &str, value: &[u8]) {
        let value = &value[..value.len().min(usize::from(u16::MAX >> 1))];
        self.bytes.push(tag);
        for part in [name.as_bytes(), value] {
            self.bytes.extend(u16::try_from(part.len()).unwrap_or_default().to_be_bytes());
            self.bytes.extend(part);
        }
    }
}

/// A printer's answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// Below 0x0100 it is a success; from 0x0400 on the request was refused, from 0x0500 on perhaps only for now.
    pub status: u16,
    pub request_id: u32,
    pub groups: Vec<Group>,
}

/// A group of attributes, such as those of one job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    pub tag: u8,
    pub attributes: Vec<Attribute>,
}

/// An attribute with its values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attribute {
    pub name: String,
    pub values: Vec<Value>,
}

/// The bytes are no answer of IPP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Malformed;

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the answer is not IPP")
    }
}

impl std::error::Error for Malformed {}

impl Group {
    /// Returns the values of the attribute with this name.
    pub fn values(&self, name: &str) -> &[Value] {
        let found = self.attributes.iter().find(|attribute| attribute.name == name);
        found.map_or(&[], |attribute| &attribute.values)
    }

    /// Returns the first value of the attribute with this name.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.values(name).first()
    }
}

impl Answer {
    /// Reads an answer. Bytes after its end are ignored.
    pub fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut rest = Rest(bytes);
        let _version = rest.take(2)?;
        let status = rest.u16()?;
        let request_id = u32::from_be_bytes(rest.array()?);
        let mut groups: Vec<Group> = Vec::new();
        let mut count = 0;
        loop {
            let tag = rest.u8()?;
            if tag == END {
                return Ok(Self { status, request_id, groups });
            }
            if tag < FIRST_VALUE_TAG {
                groups.push(Group { tag, attributes: Vec::new() });
            } else {
                let group = groups.last_mut().ok_or(Malformed)?;
                rest.attribute(tag, group)?;
            }
            count += 1;
            if count > ATTRIBUTES_MAX {
                return Err(Malformed);
            }
        }
    }

    /// Returns the groups with this tag.
    pub fn groups(&self, tag: u8) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(move |group| group.tag == tag)
    }

    pub fn is_success(&self) -> bool {
        self.status < 0x0100
    }

    /// Returns what the printer said about a refusal, or the code if it said nothing.
    pub fn message(&self) -> String {
        let said = self.groups(OPERATION_GROUP).find_map(|group| group.value("status-message")?.as_text());
        let said: String =
            said.unwrap_or_default().chars().filter(|char| !char.is_control()).take(200).collect();
        match said.is_empty() {
            true => format!("status 0x{:04x}", self.status),
            false => format!("{said} (status 0x{:04x})", self.status),
        }
    }
}

/// The bytes that are not read yet.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Malformed)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        self.take(N)?.try_into().map_err(|_| Malformed)
    }

    fn u8(&mut self) -> Result<u8, Malformed> {
        self.array::<1>().map(|[byte]| byte)
    }

    fn u16(&mut self) -> Result<u16, Malformed> {
        self.array().map(u16::from_be_bytes)
    }

    /// Takes bytes whose number stands before them.
    fn counted(&mut self) -> Result<&'a [u8], Malformed> {
        let count = self.u16()?;
        self.take(usize::from(count))
    }

    /// Reads an attribute into the group, or one more value of the group's last attribute.
    fn attribute(&mut self, tag: u8, group: &mut Group) -> Result<(), Malformed> {
        let name = text(self.counted()?);
        let value = value(tag, self.counted()?)?;
        if name.is_empty() {
            group.attributes.last_mut().ok_or(Malformed)?.values.push(value);
        } else {
            group.attributes.push(Attribute { name, values: vec![value] });
        }
        Ok(())
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn value(tag: u8, bytes: &[u8]) -> Result<Value, Malformed> {
    let number = |bytes: &[u8]| bytes.try_into().map(i32::from_be_bytes).map_err(|_| Malformed);
    Ok(match tag {
        INTEGER => Value::Integer(number(bytes)?),
        ENUM => Value::Enum(number(bytes)?),
        BOOLEAN => Value::Boolean(*bytes.first().ok_or(Malformed)? != 0),
        RANGE => {
            let (least, most) = bytes.split_at_checked(4).ok_or(Malformed)?;
            Value::Range(number(least)?, number(most)?)
        }
        TEXT_WITH_LANGUAGE | NAME_WITH_LANGUAGE => {
            let mut rest = Rest(bytes);
            let _language = rest.counted()?;
            let said = text(rest.counted()?);
            if tag == NAME_WITH_LANGUAGE { Value::Name(said) } else { Value::Text(said) }
        }
        NAME => Value::Name(text(bytes)),
        KEYWORD => Value::Keyword(text(bytes)),
        URI => Value::Uri(text(bytes)),
        MEDIA_TYPE => Value::MediaType(text(bytes)),
        0x40..=0x5f => Value::Text(text(bytes)),
        other => Value::Other(other),
    })
}

#[cfg(test)]
mod tests;
