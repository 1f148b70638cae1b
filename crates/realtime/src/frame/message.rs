//! What every message of the protocol can do, and the error of one that can't be read.

/// The error for bytes that are not a frame of this protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MalformedFrame;

/// A message of the protocol.
pub(crate) trait WireMessage: Default {
    fn write_json(&self, out: &mut Vec<u8>);
    /// Appends the fields, without the message's length.
    fn write_protobuf(&self, out: &mut Vec<u8>);
    fn read_protobuf(bytes: &[u8]) -> Result<Self, MalformedFrame>;
}
