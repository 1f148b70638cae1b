//! Addresses of HTTP as settings have them: without what could be a secret.

/// Reads an address of HTTP without a user, a query or a fragment. Returns it without a slash at its end.
pub fn plain_url(text: &str) -> Option<&str> {
    let url = text.trim_end_matches('/');
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}?#@".contains(&byte);
    let rest = url.split_once("://").filter(|(scheme, _)| matches!(*scheme, "http" | "https"));
    let is_url = rest.is_some_and(|(_, rest)| !rest.is_empty() && !rest.starts_with('/'));
    (is_url && url.bytes().all(is_plain)).then_some(url)
}

/// Returns whether it is a scheme, a host and perhaps a port, and no more.
pub fn is_origin(text: &str) -> bool {
    plain_url(text).is_some() && text.split_once("://").is_some_and(|(_, host)| !host.contains('/'))
}
