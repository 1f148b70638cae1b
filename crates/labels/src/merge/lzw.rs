//! The compression of GIF: each code stands for a row of bytes, which is that of an earlier code and one more.

/// Bits of the longest codes, and how many codes there can be.
const BITS_MAX: u32 = 12;
const CODES_MAX: usize = 1 << BITS_MAX;

/// A decoder. It is fed with one block after the other.
pub struct Lzw {
    /// Bits of a byte of the picture; the code that forgets all others has this bit alone, and the next one is the end.
    byte_bits: u32,
    code_bits: u32,
    /// Bits that were read and belong to no code yet.
    bits: u32,
    bits_count: u32,
    /// For each code: the code of the bytes before its last, and the last byte.
    codes: Vec<(u16, u8)>,
    previous: Option<u16>,
    is_over: bool,
    /// The bytes of a code, the last one first.
    reversed: Vec<u8>,
}

impl Lzw {
    /// Returns a decoder of bytes with this many bits, or `None` if GIF has none for them.
    pub fn new(byte_bits: u8) -> Option<Self> {
        if !(1..=8).contains(&byte_bits) {
            return None;
        }
        let byte_bits = u32::from(byte_bits);
        let mut codes = Vec::with_capacity(CODES_MAX);
        codes.extend((0..1_u16 << byte_bits).map(|byte| (0, byte as u8)));
        // The places of the two codes that stand for no bytes.
        codes.extend([(0, 0); 2]);
        Some(Self {
            byte_bits,
            code_bits: byte_bits + 1,
            bits: 0,
            bits_count: 0,
            codes,
            previous: None,
            is_over: false,
            reversed: Vec::new(),
        })
    }

    fn forget(&mut self) {
        self.code_bits = self.byte_bits + 1;
        self.codes.truncate((1 << self.byte_bits) + 2);
        self.previous = None;
    }

    /// Decodes a block, and appends its bytes to `out`, which never gets more than `bytes_max`.
    pub fn decode(&mut self, block: &[u8], out: &mut Vec<u8>, bytes_max: usize) -> Result<(), &'static str> {
        for byte in block {
            if self.is_over {
                break;
            }
            self.bits |= u32::from(*byte) << self.bits_count;
            self.bits_count += 8;
            while self.bits_count >= self.code_bits && !self.is_over {
                let code = self.bits & ((1 << self.code_bits) - 1);
                self.bits >>= self.code_bits;
                self.bits_count -= self.code_bits;
                self.code(code as u16, out, bytes_max)?;
            }
        }
        Ok(())
    }

    fn code(&mut self, code: u16, out: &mut Vec<u8>, bytes_max: usize) -> Result<(), &'static str> {
        let clear = 1_u16 << self.byte_bits;
        if code == clear {
            self.forget();
            return Ok(());
        }
        if code == clear + 1 {
            self.is_over = true;
            return Ok(());
        }
        match self.previous {
            None if code < clear => {}
            None => return Err("it begins with an unknown code"),
            // The code that is defined by this one begins as the one before it.
            Some(previous) if usize::from(code) == self.codes.len() => {
                self.define(previous, self.first(previous));
            }
            Some(previous) if usize::from(code) < self.codes.len() => {
                self.define(previous, self.first(code));
            }
            Some(_) => return Err("it has an unknown code"),
        }
        self.previous = Some(code);
        self.write(code, out, bytes_max);
        Ok(())
    }

    /// Defines the next code, if there is room for one.
    fn define(&mut self, before: u16, last: u8) {
        if self.codes.len() >= CODES_MAX {
            return;
        }
        self.codes.push((before, last));
        if self.codes.len() == 1 << self.code_bits && self.code_bits < BITS_MAX {
            self.code_bits += 1;
        }
    }

    fn first(&self, mut code: u16) -> u8 {
        let clear = 1_u16 << self.byte_bits;
        while code >= clear {
            code = self.codes[usize::from(code)].0;
        }
        code as u8
    }

    fn write(&mut self, mut code: u16, out: &mut Vec<u8>, bytes_max: usize) {
        let clear = 1_u16 << self.byte_bits;
        self.reversed.clear();
        while code >= clear {
            let (before, last) = self.codes[usize::from(code)];
            self.reversed.push(last);
            code = before;
        }
        self.reversed.push(code as u8);
        // Encoders may write more dots than the picture has. They are not part of it, and decoding them could take hours.
        let room = bytes_max - out.len();
        out.extend(self.reversed.iter().rev().take(room));
        self.is_over = out.len() == bytes_max;
    }
}
