//! Protobuf's wire format, by hand: varints, tags, and length-delimited values. The protocol uses nothing else.

use bytes::{Buf, Bytes};

use super::wire::{Malformed, Message};

/// Kinds of value on the wire.
pub(crate) const VARINT: u32 = 0;
const FIXED64: u32 = 1;
pub(crate) const DELIMITED: u32 = 2;
const FIXED32: u32 = 5;

/// Bytes of the longest varint: 64 bits, seven at a time.
const VARINT_BYTES_MAX: usize = 10;

/// Writes a number, seven bits a byte, the lowest first.
pub(crate) fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// How many bytes [`varint`] writes.
pub(crate) fn varint_bytes(number: u64) -> usize {
    (64 - (number | 1).leading_zeros() as usize).div_ceil(7)
}

/// Writes which field follows, and of which kind.
pub(crate) fn tag(number: u32, kind: u32, out: &mut Vec<u8>) {
    varint(u64::from(number << 3 | kind), out);
}

/// Writes a field of bytes.
pub(crate) fn bytes(number: u32, value: &[u8], out: &mut Vec<u8>) {
    tag(number, DELIMITED, out);
    varint(value.len() as u64, out);
    out.extend_from_slice(value);
}

/// Writes something with its length in front: written first, measured, and then moved to make room.
pub(crate) fn delimited(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    write(out);
    let length = out.len() - start;
    varint(length as u64, out);
    let room = varint_bytes(length as u64);
    out[start..].rotate_right(room);
}

/// A value as it came over the wire.
pub(crate) enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// A kind that no field of ours has: only ever skipped.
    Other,
}

impl<'a> Value<'a> {
    pub(crate) fn number(self) -> Result<u64, Malformed> {
        match self {
            Value::Number(number) => Ok(number),
            _ => Err(Malformed),
        }
    }

    pub(crate) fn bytes(self) -> Result<&'a [u8], Malformed> {
        match self {
            Value::Bytes(bytes) => Ok(bytes),
            _ => Err(Malformed),
        }
    }
}

/// Reads the fields of one message.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The next field's number and value.
    pub(crate) fn field(&mut self) -> Result<Option<(u32, Value<'a>)>, Malformed> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let tag = u32::try_from(self.varint()?).map_err(|_| Malformed)?;
        let value = match tag & 7 {
            VARINT => Value::Number(self.varint()?),
            DELIMITED => Value::Bytes(self.delimited()?),
            FIXED64 => self.take(8).map(|_| Value::Other)?,
            FIXED32 => self.take(4).map(|_| Value::Other)?,
            // Groups are long dead, and the rest was never alive.
            _ => return Err(Malformed),
        };
        match tag >> 3 {
            0 => Err(Malformed),
            number => Ok(Some((number, value))),
        }
    }

    fn varint(&mut self) -> Result<u64, Malformed> {
        let mut number = 0;
        for (place, byte) in self.0.iter().take(VARINT_BYTES_MAX).enumerate() {
            // The tenth byte has room for one bit.
            if place == VARINT_BYTES_MAX - 1 && *byte > 1 {
                return Err(Malformed);
            }
            number |= u64::from(byte & 0x7f) << (7 * place);
            if byte & 0x80 == 0 {
                self.0 = &self.0[place + 1..];
                return Ok(number);
            }
        }
        Err(Malformed)
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(Malformed)?;
        self.0 = rest;
        Ok(taken)
    }

    fn delimited(&mut self) -> Result<&'a [u8], Malformed> {
        let length = usize::try_from(self.varint()?).map_err(|_| Malformed)?;
        self.take(length)
    }
}

/// Takes the next message off the front of a frame, where each has its length before it.
pub(crate) fn next<M: Message>(frame: &mut Bytes) -> Option<Result<M, Malformed>> {
    if frame.is_empty() {
        return None;
    }
    let mut reader = Reader::new(frame);
    let message = reader.delimited().and_then(M::read_protobuf);
    let read = frame.len() - reader.0.len();
    frame.advance(read);
    Some(message)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_number_reads_back(number: u64) {
            let mut out = Vec::new();
            varint(number, &mut out);
            prop_assert_eq!(out.len(), varint_bytes(number));
            let mut reader = Reader::new(&out);
            prop_assert_eq!(reader.varint(), Ok(number));
            prop_assert!(reader.0.is_empty());
        }

        #[test]
        fn no_bytes_panic(bytes: Vec<u8>) {
            let mut reader = Reader::new(&bytes);
            while let Ok(Some(_)) = reader.field() {}
        }
    }

    #[test]
    fn numbers_that_do_not_fit_are_refused() {
        let mut too_long = vec![0xff; 10];
        too_long.push(0);
        assert_eq!(Reader::new(&too_long).varint(), Err(Malformed));
        assert_eq!(Reader::new(&[0xff; 3]).varint(), Err(Malformed));
    }

    #[test]
    fn what_we_do_not_know_is_skipped() {
        // Field 1 as fixed64, 2 as fixed32, 3 as bytes, then 4 as a number.
        let message = [0x09, 1, 2, 3, 4, 5, 6, 7, 8, 0x15, 1, 2, 3, 4, 0x1a, 1, 0xff, 0x20, 7];
        let mut reader = Reader::new(&message);
        let numbers: Vec<u32> =
            std::iter::from_fn(|| reader.field().unwrap()).map(|(number, _)| number).collect();
        assert_eq!(numbers, [1, 2, 3, 4]);
        assert_eq!(Reader::new(&[0x0b]).field().err(), Some(Malformed));
    }
}
