//! Where a person goes after signing in: a page of the console, and nothing else.

/// The page that is shown if the wanted one is none of the console's.
pub const CONSOLE: &str = "/console";
/// The longest path that is kept while a person is at the identity provider, in bytes.
const PATH_BYTES_MAX: usize = 1000;

/// Returns the wanted path if it is one of the console's, and otherwise the console's first page. A browser must never be
/// sent to another site: it reads `//host`, `/\host` and paths with `..` in ways of its own, so only plain characters pass.
pub fn console_path(wanted: Option<&str>) -> &str {
    wanted.filter(|path| is_console_path(path)).unwrap_or(CONSOLE)
}

fn is_console_path(text: &str) -> bool {
    let path = text.split('?').next().unwrap_or_default();
    let is_below = path == CONSOLE || path.strip_prefix(CONSOLE).is_some_and(|rest| rest.starts_with('/'));
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/?&=_-.~%+:,".contains(&byte);
    let has_odd_step = path.split('/').skip(1).any(|step| step.is_empty() || step.starts_with('.'));
    // A percent sign in the path could hide a dot or a slash.
    is_below
        && text.len() <= PATH_BYTES_MAX
        && text.bytes().all(is_plain)
        && !has_odd_step
        && !path.contains('%')
        // The sign-in page would only send the person on.
        && !path.starts_with("/console/sign-in")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_of_the_console_are_paths_to_go_to() {
        for path in [
            "/console",
            "/console/orders",
            "/console/orders/ord_00000000000000000000000001",
            "/console/orders?q=a%20b&status=held",
            "/console?world=test",
        ] {
            assert_eq!(console_path(Some(path)), path);
        }
        for path in [
            "",
            "/",
            "//evil.example",
            "https://evil.example",
            "https://evil.example/console",
            "/\\evil.example",
            "\\\\evil.example",
            "/console\\@evil.example",
            "/console@evil.example",
            "/console.evil.example",
            "/consoles",
            "/console//evil.example",
            "/console/../orders",
            "/console/./orders",
            "/console/%2e%2e/orders",
            "/console/%2F%2Fevil.example",
            "/console/orders#x",
            "/console/orders\r\nset-cookie: a=b",
            "/console/orders\n",
            " /console",
            "/console/é",
            "javascript:alert(1)",
            "/console/sign-in",
            "/console/sign-in/password",
        ] {
            assert_eq!(console_path(Some(path)), CONSOLE, "{path:?}");
        }
        let long = format!("/console/{}", "a".repeat(PATH_BYTES_MAX));
        assert_eq!(console_path(Some(&long)), CONSOLE);
        assert_eq!(console_path(None), CONSOLE);
    }
}
