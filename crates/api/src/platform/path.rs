//! Paths of requests.

/// Returns the path without its trailing slash. The path `/` stays.
pub fn without_slash(path: &str) -> &str {
    path.strip_suffix('/').filter(|path| !path.is_empty()).unwrap_or(path)
}
