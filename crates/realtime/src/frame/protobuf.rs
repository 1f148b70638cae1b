//! Protobuf's wire format: varints, tags and length-delimited values. The protocol uses no other kind, so no library
//! is needed.

use bytes::{Buf, Bytes};

use super::message::{MalformedFrame, WireMessage};

/// Wire types.
pub(crate) const VARINT: u32 = 0;
const FIXED64: u32 = 1;
pub(crate) const DELIMITED: u32 = 2;
const FIXED32: u32 = 5;

/// Bytes of the longest varint: 64 bits at seven bits per byte.
const VARINT_BYTES_MAX: usize = 10;

/// Appends a number: seven bits per byte, the lowest first.
pub(crate) fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Returns how many bytes [`varint`] appends.
pub(crate) fn varint_bytes(number: u64) -> usize {
    (64 - (number | 1).leading_zeros() as usize).div_ceil(7)
}

/// Appends a field's number and wire type.
pub(crate) fn tag(number: u32, kind: u32, out: &mut Vec<u8>) {
    varint(u64::from(number << 3 | kind), out);
}

/// Appends a field of bytes.
pub(crate) fn bytes(number: u32, value: &[u8], out: &mut Vec<u8>) {
    tag(number, DELIMITED, out);
    varint(value.len() as u64, out);
    out.extend_from_slice(value);
}

/// Appends a value with its length in front. The value is written first, measured, and then moved to make space for
/// the length.
pub(crate) fn delimited(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    write(out);
    let length = out.len() - start;
    varint(length as u64, out);
    let budget = varint_bytes(length as u64);
    out[start..].rotate_right(budget);
}

/// A decoded value of one field.
pub(crate) enum WireValue<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// A wire type that none of the declared fields has. It is only skipped.
    Other,
}

impl<'a> WireValue<'a> {
    pub(crate) fn number(self) -> Result<u64, MalformedFrame> {
        match self {
            WireValue::Number(number) => Ok(number),
            _ => Err(MalformedFrame),
        }
    }

    pub(crate) fn bytes(self) -> Result<&'a [u8], MalformedFrame> {
        match self {
            WireValue::Bytes(bytes) => Ok(bytes),
            _ => Err(MalformedFrame),
        }
    }
}

/// Reads the fields of one message.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Returns the next field's number and value.
    pub(crate) fn field(&mut self) -> Result<Option<(u32, WireValue<'a>)>, MalformedFrame> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let tag = u32::try_from(self.varint()?).map_err(|_| MalformedFrame)?;
        let value = match tag & 7 {
            VARINT => WireValue::Number(self.varint()?),
            DELIMITED => WireValue::Bytes(self.delimited()?),
            FIXED64 => self.take(8).map(|_| WireValue::Other)?,
            FIXED32 => self.take(4).map(|_| WireValue::Other)?,
            // Groups are deprecated, and the other wire types do not exist.
            _ => return Err(MalformedFrame),
        };
        match tag >> 3 {
            0 => Err(MalformedFrame),
            number => Ok(Some((number, value))),
        }
    }

    fn varint(&mut self) -> Result<u64, MalformedFrame> {
        let mut number = 0;
        for (place, byte) in self.0.iter().take(VARINT_BYTES_MAX).enumerate() {
            // Nine bytes hold 63 bits, so the tenth byte may hold one bit only.
            if place == VARINT_BYTES_MAX - 1 && *byte > 1 {
                return Err(MalformedFrame);
            }
            number |= u64::from(byte & 0x7f) << (7 * place);
            if byte & 0x80 == 0 {
                self.0 = &self.0[place + 1..];
                return Ok(number);
            }
        }
        Err(MalformedFrame)
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], MalformedFrame> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(MalformedFrame)?;
        self.0 = rest;
        Ok(taken)
    }

    fn delimited(&mut self) -> Result<&'a [u8], MalformedFrame> {
        let length = usize::try_from(self.varint()?).map_err(|_| MalformedFrame)?;
        self.take(length)
    }
}

/// Removes and decodes the first message of a frame, in which a length precedes each message.
pub(crate) fn next<M: WireMessage>(frame: &mut Bytes) -> Option<Result<M, MalformedFrame>> {
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
        assert_eq!(Reader::new(&too_long).varint(), Err(MalformedFrame));
        assert_eq!(Reader::new(&[0xff; 3]).varint(), Err(MalformedFrame));
    }

    #[test]
    fn unknown_fields_are_skipped() {
        // Field 1 as fixed64, 2 as fixed32, 3 as bytes, then 4 as a number.
        let message = [0x09, 1, 2, 3, 4, 5, 6, 7, 8, 0x15, 1, 2, 3, 4, 0x1a, 1, 0xff, 0x20, 7];
        let mut reader = Reader::new(&message);
        let numbers: Vec<u32> =
            std::iter::from_fn(|| reader.field().unwrap()).map(|(number, _)| number).collect();
        assert_eq!(numbers, [1, 2, 3, 4]);
        assert_eq!(Reader::new(&[0x0b]).field().err(), Some(MalformedFrame));
    }
}
