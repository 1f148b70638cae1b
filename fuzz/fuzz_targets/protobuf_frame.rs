//! Any bytes as a Protobuf frame: they are read or refused, and what is read is written and read again as the same.
#![no_main]

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use realtime::frame::{Codec, Emulation};

fuzz_target!(|bytes: &[u8]| {
    let codec = Codec::Protobuf;
    let mut frame = Bytes::copy_from_slice(bytes);
    while let Some(Ok(command)) = codec.next_command(&mut frame) {
        let mut out = Vec::new();
        codec.write_command(&command, &mut out);
        assert_eq!(codec.next_command(&mut out.into()), Some(Ok(command)));
    }
    let mut frame = Bytes::copy_from_slice(bytes);
    while let Some(Ok(reply)) = codec.next_reply(&mut frame) {
        let mut out = Vec::new();
        codec.write_reply(&reply, &mut out);
        assert_eq!(codec.next_reply(&mut out.into()), Some(Ok(reply)));
    }
    let _ = codec.read_connect(bytes);
    let _ = Emulation::read(codec, bytes);
});
