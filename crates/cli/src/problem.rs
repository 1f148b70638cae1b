//! What an answer means that is no success: a problem document as a text for people.

use serde_json::Value;

use crate::failure::{Exit, Failure};
use crate::text::harmless;

/// Faults of a request that are shown.
const ISSUES_SHOWN: usize = 20;

/// Returns the failure that an answer stands for.
pub fn failure(url: &str, status: u16, body: &[u8]) -> Failure {
    let exit = match status {
        401 | 403 => Exit::SignIn,
        408 | 429 | 500.. => Exit::Connection,
        _ => Exit::Refused,
    };
    let problem = serde_json::from_slice::<Value>(body).ok().filter(|problem| problem["code"].is_string());
    let message = match &problem {
        Some(problem) => told(url, status, problem),
        None => format!("{url} answers {status}. Is a Dockside server there?"),
    };
    Failure { problem, ..Failure::new(exit, message) }
}

/// Returns a problem as lines: what happened, each fault, and where to read on.
fn told(url: &str, status: u16, problem: &Value) -> String {
    let text = |value: &Value| harmless(value.as_str().unwrap_or_default());
    let (title, detail) = (text(&problem["title"]), text(&problem["detail"]));
    let mut lines = vec![match (title.is_empty(), detail.is_empty() || detail == title) {
        (_, true) => title,
        (true, false) => detail,
        (false, false) => format!("{title} {detail}"),
    }];
    let issues = problem["errors"].as_array().map_or(&[][..], Vec::as_slice);
    for issue in issues.iter().take(ISSUES_SHOWN) {
        let (field, message) = (text(&issue["field"]), text(&issue["message"]));
        lines.push(if field.is_empty() { format!("  {message}") } else { format!("  {field}: {message}") });
    }
    if issues.len() > ISSUES_SHOWN {
        lines.push(format!("  and {} more", issues.len() - ISSUES_SHOWN));
    }
    let about = text(&problem["type"]);
    let about = if about.starts_with('/') { format!("{url}{about}") } else { about };
    let request = text(&problem["request_id"]);
    lines.push(format!("  {status} {}, request {request}: {about}", text(&problem["code"])));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_problem_names_each_fault_and_where_to_read_on() {
        let problem = json!({
            "type": "/docs/errors#validation_failed", "title": "The body does not have the expected form.", "status": 422,
            "detail": "Correct what `errors` names.", "code": "validation_failed", "request_id": "req_1",
            "errors": [{"field": "/on_hand", "message": "Must be a whole number.\u{1b}[2J"}, {"field": "", "message": "More."}],
        });
        let failure = failure("http://host", 422, problem.to_string().as_bytes());
        assert_eq!(failure.exit, Exit::Refused);
        assert_eq!(
            failure.message,
            "The body does not have the expected form. Correct what `errors` names.\n  \
             /on_hand: Must be a whole number.\u{fffd}[2J\n  More.\n  \
             422 validation_failed, request req_1: http://host/docs/errors#validation_failed"
        );
        assert_eq!(failure.problem, Some(problem));
    }

    #[test]
    fn the_status_decides_the_exit_code() {
        let exit = |status| failure("http://host", status, b"<html>").exit;
        assert_eq!([400, 404, 409, 422].map(exit), [Exit::Refused; 4]);
        assert_eq!([401, 403].map(exit), [Exit::SignIn; 2]);
        assert_eq!([408, 429, 500, 503].map(exit), [Exit::Connection; 4]);
        assert!(failure("http://host", 404, b"<html>").message.contains("Is a Dockside server there?"));
    }

    #[test]
    fn many_faults_are_cut() {
        let faults: Vec<Value> =
            (0..25).map(|number| json!({"field": format!("/{number}"), "message": "No."})).collect();
        let problem = json!({"code": "validation_failed", "title": "No.", "errors": faults});
        let message = failure("http://host", 422, problem.to_string().as_bytes()).message;
        assert!(
            message.contains("/19: No.") && !message.contains("/20: No.") && message.contains("and 5 more")
        );
    }
}
