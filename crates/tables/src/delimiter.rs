//! Which character separates the fields of a CSV file, and where its header begins.

/// Characters that separate fields, the usual one first.
const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];
/// The first line with which Excel is told the delimiter.
const HINT: &str = "sep=";

/// Where the header of a CSV file begins, and what separates its fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Start {
    pub delimiter: u8,
    /// Characters before the header, in UTF-8 bytes: a line such as `sep=;`. All of them are ASCII.
    pub header_at: usize,
}

/// Finds the delimiter of a CSV file by its beginning: the one that the header has most of. A header without any has one column.
pub fn detect_start(head: &str) -> Start {
    let line = head.split(['\r', '\n']).next().unwrap_or_default();
    if let Some(hint) = line.strip_prefix(HINT)
        && let [delimiter] = hint.as_bytes()
        && DELIMITERS.contains(delimiter)
    {
        let ends = head[line.len()..].bytes().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        return Start { delimiter: *delimiter, header_at: line.len() + ends };
    }
    let mut counts = [0; DELIMITERS.len()];
    let mut is_quoted = false;
    for byte in head.bytes() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\r' | b'\n' if !is_quoted => break,
            _ if is_quoted => {}
            _ => {
                if let Some(place) = DELIMITERS.iter().position(|delimiter| *delimiter == byte) {
                    counts[place] += 1;
                }
            }
        }
    }
    let mut best = 0;
    for place in 1..DELIMITERS.len() {
        if counts[place] > counts[best] {
            best = place;
        }
    }
    Start { delimiter: DELIMITERS[best], header_at: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_says_what_separates_fields() {
        let found = |head| {
            let start = detect_start(head);
            (char::from(start.delimiter), start.header_at)
        };
        assert_eq!(found("sku,name\nA;B;C;D,1"), (',', 0));
        assert_eq!(found("sku;name\nA,B,C,D;1"), (';', 0));
        assert_eq!(found("sku\tname, long\tmass"), ('\t', 0));
        assert_eq!(found("\"a,b,c\";d\n"), (';', 0), "what is quoted separates nothing");
        assert_eq!(found("sku"), (',', 0));
        assert_eq!(found(""), (',', 0));
        assert_eq!(found("sep=;\r\na,b,c"), (';', 7));
        assert_eq!(found("sep=|\r\na,b,c"), (',', 0), "not one of ours");
    }
}
