//! Addresses of shops and of what they have. The HTTP client parses and judges an address again before it connects.

/// Longest query of a request, in bytes, so that an address stays below the client's limit of 2,048.
pub const QUERY_BYTES_MAX: usize = 1500;
/// Longest address of a shop, in bytes.
const URL_BYTES_MAX: usize = 400;

/// Returns whether an address is encrypted, and its host with the port. The error is a sentence for the client that
/// wrote it.
pub fn host_of(url: &str) -> Result<(bool, &str), String> {
    let (is_https, rest) = match (url.strip_prefix("https://"), url.strip_prefix("http://")) {
        (Some(rest), _) => (true, rest),
        (None, Some(rest)) => (false, rest),
        (None, None) => return Err("`url` must begin with `https://`.".to_owned()),
    };
    let is_plain =
        |char: char| char.is_ascii_graphic() && !matches!(char, '?' | '#' | '@' | '\\' | '"' | '<' | '>');
    if url.len() > URL_BYTES_MAX || !rest.chars().all(is_plain) {
        return Err("`url` must be the address of the shop alone, such as `https://shop.example`.".to_owned());
    }
    match rest.split('/').next() {
        Some(host) if !host.is_empty() => Ok((is_https, host)),
        _ => Err("`url` names no host.".to_owned()),
    }
}

/// Writes a text as part of a path or a query.
pub fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// Writes names and values as a query, with its question mark.
pub fn query(pairs: &[(&str, &str)]) -> String {
    let pairs = pairs.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value)));
    format!("?{}", pairs.collect::<Vec<_>>().join("&"))
}

/// Divides texts into groups whose encoded lengths fit in one query. `cost` is what each has besides its text, in bytes.
pub fn groups<'a>(texts: &[&'a str], cost: usize) -> Vec<Vec<&'a str>> {
    let mut groups: Vec<Vec<&str>> = Vec::new();
    let mut room = 0;
    for &text in texts {
        let bytes = encoded(text).len() + cost;
        match groups.last_mut() {
            Some(group) if bytes <= room => group.push(text),
            _ => {
                groups.push(vec![text]);
                room = QUERY_BYTES_MAX;
            }
        }
        room = room.saturating_sub(bytes);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_a_host_and_nothing_secret() {
        assert_eq!(host_of("https://shop.example:8443/store"), Ok((true, "shop.example:8443")));
        assert_eq!(host_of("http://127.0.0.1:8080/"), Ok((false, "127.0.0.1:8080")));
        for bad in [
            "",
            "shop.example",
            "ftp://shop.example",
            "https://",
            "https:///x",
            "https://a@b",
            "https://a/?x",
            "https://a/#x",
            "https://a b",
            "https://ä.example",
        ] {
            assert!(host_of(bad).is_err(), "{bad}");
        }
        assert!(host_of(&format!("https://{}", "a".repeat(400))).is_err());
    }

    #[test]
    fn values_of_a_query_are_encoded() {
        assert_eq!(
            query(&[("sku", "A&B=ä"), ("updated_at[$gte]", "1")]),
            "?sku=A%26B%3D%C3%A4&updated_at%5B%24gte%5D=1"
        );
    }

    #[test]
    fn groups_of_texts_fit_in_a_query() {
        let long = "ä".repeat(100);
        let texts: Vec<&str> = std::iter::repeat_n(long.as_str(), 7).chain(["B"]).collect();
        let divided = groups(&texts, 3);
        assert_eq!(divided.concat(), texts);
        assert_eq!(divided.len(), 4);
        for group in divided {
            let bytes: usize = group.iter().map(|text| encoded(text).len() + 3).sum();
            assert!(bytes <= QUERY_BYTES_MAX);
        }
    }
}
