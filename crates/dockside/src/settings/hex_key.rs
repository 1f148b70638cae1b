//! Keys as settings have them: hexadecimal digits.

pub const KEY_BYTES: usize = 32;

/// Reads a key. The error says what is wrong, in words that follow the name of the setting, and does not contain the key.
pub fn parse(hex: &str) -> Result<[u8; KEY_BYTES], String> {
    let wrong = || format!("must have {} hexadecimal digits", 2 * KEY_BYTES);
    if hex.len() != 2 * KEY_BYTES || !hex.is_ascii() {
        return Err(wrong());
    }
    let mut key = [0; KEY_BYTES];
    for (place, byte) in key.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&hex[2 * place..2 * place + 2], 16).map_err(|_| wrong())?;
    }
    Ok(key)
}
