//! Encoding and decoding of one field, in JSON and in Protobuf, and the macro that declares a message from its
//! fields.
//!
//! Each message is declared once, as the table in the protocol's documentation: number, name, type. Both codecs are
//! generated from that table, so they cannot diverge.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::message::{MalformedFrame, WireMessage};
use super::protobuf::{self, WireValue};

/// The value of a field.
pub(crate) trait WireField {
    /// Returns whether the field has its default value, which is not written.
    fn is_absent(&self) -> bool;
    fn write_json(&self, out: &mut Vec<u8>);
    /// Appends the number, the wire type and the value.
    fn write_protobuf(&self, number: u32, out: &mut Vec<u8>);
    fn read_protobuf(&mut self, value: WireValue<'_>) -> Result<(), MalformedFrame>;
}

/// JSON that is forwarded unchanged, byte for byte; in Protobuf, any bytes. Empty means absent.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct RawData(pub Bytes);

impl From<&'static str> for RawData {
    fn from(text: &'static str) -> Self {
        Self(Bytes::from_static(text.as_bytes()))
    }
}

impl<'de> Deserialize<'de> for RawData {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text: Box<RawValue> = Deserialize::deserialize(from)?;
        Ok(Self(Bytes::from(String::from(Box::<str>::from(text)))))
    }
}

/// Deserializes `null` as the default value, as the reference decoder does.
pub(crate) fn nullable<'de, T, D>(from: D) -> Result<T, D::Error>
where
    T: Deserialize<'de> + Default,
    D: Deserializer<'de>,
{
    Ok(Option::<T>::deserialize(from)?.unwrap_or_default())
}

/// Declares messages: `number "name" field: type`. A field marked `= always` is written in JSON even if it has its
/// default value.
macro_rules! messages {
    ($($(#[$doc:meta])* $message:ident {
        $($(#[$note:meta])* $number:literal $name:literal $field:ident: $type:ty $(= $always:ident)?,)*
    })*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Default, Debug, serde::Deserialize)]
        #[serde(default)]
        pub struct $message {
            $($(#[$note])*
            #[serde(rename = $name, deserialize_with = "crate::frame::wire::nullable")]
            pub $field: $type,)*
        }

        impl crate::frame::message::WireMessage for $message {
            fn write_json(&self, out: &mut Vec<u8>) {
                let start = out.len();
                $(if $({ stringify!($always); true } ||)? !crate::frame::wire::WireField::is_absent(&self.$field) {
                    out.push(if out.len() == start { b'{' } else { b',' });
                    out.extend_from_slice(concat!("\"", $name, "\":").as_bytes());
                    crate::frame::wire::WireField::write_json(&self.$field, out);
                })*
                if out.len() == start {
                    out.push(b'{');
                }
                out.push(b'}');
            }

            fn write_protobuf(&self, out: &mut Vec<u8>) {
                $(if !crate::frame::wire::WireField::is_absent(&self.$field) {
                    crate::frame::wire::WireField::write_protobuf(&self.$field, $number, out);
                })*
                // Unused if the message has no fields.
                let _ = out;
            }

            fn read_protobuf(bytes: &[u8]) -> Result<Self, crate::frame::message::MalformedFrame> {
                let mut message = Self::default();
                // Never modified if the message has no fields.
                let _ = &mut message;
                let mut reader = crate::frame::protobuf::Reader::new(bytes);
                while let Some((number, value)) = reader.field()? {
                    match number {
                        $($number => {
                            crate::frame::wire::WireField::read_protobuf(&mut message.$field, value)?;
                        })*
                        // An unknown field is skipped.
                        _ => {
                            let _ = value;
                        }
                    }
                }
                Ok(message)
            }
        }
    )*};
}
pub(crate) use messages;

macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl WireField for $type {
            fn is_absent(&self) -> bool {
                *self == 0
            }

            fn write_json(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(self.to_string().as_bytes());
            }

            fn write_protobuf(&self, number: u32, out: &mut Vec<u8>) {
                protobuf::tag(number, protobuf::VARINT, out);
                // Protobuf writes negative numbers as 64 bits, sign extended.
                protobuf::varint(*self as u64, out);
            }

            fn read_protobuf(&mut self, value: WireValue<'_>) -> Result<(), MalformedFrame> {
                // Narrower types keep the low bits, as the Protobuf documentation specifies.
                *self = value.number()? as $type;
                Ok(())
            }
        }
    )*};
}
numbers!(u32, u64, i32);

impl WireField for bool {
    fn is_absent(&self) -> bool {
        !self
    }

    fn write_json(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(if *self { b"true" } else { b"false" });
    }

    fn write_protobuf(&self, number: u32, out: &mut Vec<u8>) {
        protobuf::tag(number, protobuf::VARINT, out);
        out.push(u8::from(*self));
    }

    fn read_protobuf(&mut self, value: WireValue<'_>) -> Result<(), MalformedFrame> {
        *self = value.number()? != 0;
        Ok(())
    }
}

impl WireField for String {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }

    fn write_json(&self, out: &mut Vec<u8>) {
        super::json::text(self, out);
    }

    fn write_protobuf(&self, number: u32, out: &mut Vec<u8>) {
        protobuf::bytes(number, self.as_bytes(), out);
    }

    fn read_protobuf(&mut self, value: WireValue<'_>) -> Result<(), MalformedFrame> {
        *self = std::str::from_utf8(value.bytes()?).map_err(|_| MalformedFrame)?.to_owned();
        Ok(())
    }
}

impl WireField for RawData {
    fn is_absent(&self) -> bool {
        self.0.is_empty()
    }

    fn write_json(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0);
    }

    fn write_protobuf(&self, number: u32, out: &mut Vec<u8>) {
        protobuf::bytes(number, &self.0, out);
    }

    fn read_protobuf(&mut self, value: WireValue<'_>) -> Result<(), MalformedFrame> {
        self.0 = Bytes::copy_from_slice(value.bytes()?);
        Ok(())
    }
}

impl<M: WireMessage> WireField for Option<M> {
    fn is_absent(&self) -> bool {
        self.is_none()
    }

    fn write_json(&self, out: &mut Vec<u8>) {
        match self {
            Some(message) => message.write_json(out),
            None => out.extend_from_slice(b"null"),
        }
    }

    fn write_protobuf(&self, number: u32, out: &mut Vec<u8>) {
        if let Some(message) = self {
            protobuf::tag(number, protobuf::DELIMITED, out);
            protobuf::delimited(out, |out| message.write_protobuf(out));
        }
    }

    fn read_protobuf(&mut self, value: WireValue<'_>) -> Result<(), MalformedFrame> {
        *self = Some(M::read_protobuf(value.bytes()?)?);
        Ok(())
    }
}

impl<M: WireMessage> WireField for Vec<M> {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }

    fn write_json(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        for (place, message) in self.iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            message.write_json(out);
        }
        out.push(b']');
    }

    fn write_protobuf(&self, number: u32, out: &mut Vec<u8>) {
        for message in self {
            protobuf::tag(number, protobuf::DELIMITED, out);
            protobuf::delimited(out, |out| message.write_protobuf(out));
        }
    }

    fn read_protobuf(&mut self, value: WireValue<'_>) -> Result<(), MalformedFrame> {
        self.push(M::read_protobuf(value.bytes()?)?);
        Ok(())
    }
}

impl<M: WireMessage> WireField for BTreeMap<String, M> {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }

    fn write_json(&self, out: &mut Vec<u8>) {
        out.push(b'{');
        for (place, (key, message)) in self.iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            super::json::text(key, out);
            out.push(b':');
            message.write_json(out);
        }
        out.push(b'}');
    }

    fn write_protobuf(&self, number: u32, out: &mut Vec<u8>) {
        for (key, message) in self {
            protobuf::tag(number, protobuf::DELIMITED, out);
            protobuf::delimited(out, |out| {
                protobuf::bytes(1, key.as_bytes(), out);
                protobuf::tag(2, protobuf::DELIMITED, out);
                protobuf::delimited(out, |out| message.write_protobuf(out));
            });
        }
    }

    fn read_protobuf(&mut self, value: WireValue<'_>) -> Result<(), MalformedFrame> {
        let (mut key, mut message) = (String::new(), None);
        let mut entry = protobuf::Reader::new(value.bytes()?);
        while let Some((number, value)) = entry.field()? {
            match number {
                1 => key.read_protobuf(value)?,
                2 => WireField::read_protobuf(&mut message, value)?,
                _ => {}
            }
        }
        self.insert(key, message.unwrap_or_default());
        Ok(())
    }
}
