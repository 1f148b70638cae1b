//! The request of an operation in JavaScript and in Python, with the standard library of each: `fetch`, which
//! browsers and Node have, and `urllib`.

use serde_json::Value;

use super::code::{self, TOKEN, Within, write_json};
use super::example::{self, Way};
use super::html::Html;
use crate::access::route::{Body, Route, Success};

/// The body of a request.
enum Payload {
    Json(Value),
    /// A form, whose client authenticates by HTTP Basic.
    Form(Value),
    None,
}

fn payload(route: &Route) -> Payload {
    match &route.body {
        Some(Body::Json(shape) | Body::Optional(shape) | Body::JsonOrFile(shape)) => {
            Payload::Json(example::value(shape, Way::Request))
        }
        Some(Body::Patch(shape)) => Payload::Json(example::patch(shape)),
        Some(Body::Form(shape)) => Payload::Form(example::value(shape, Way::Request)),
        Some(Body::Raw { .. } | Body::File) | None => Payload::None,
    }
}

/// Returns whether the answer is JSON.
fn answers_json(route: &Route) -> bool {
    match route.success {
        Success::Empty | Success::Revoked => false,
        Success::Other(media_type) => media_type == "application/json",
        _ => true,
    }
}

/// The syntax of a language for the parts that all samples have: headers, then the body.
struct Language {
    within: Within,
    /// The indentation of a header.
    indent: &'static str,
    /// The `Authorization` header of a form's client: the text before its id, and after its secret.
    basic: (&'static str, &'static str),
    headers_end: &'static str,
    /// A JSON body, and a form: the text before the value, and after it.
    json: (&'static str, &'static str),
    form: (&'static str, &'static str),
}

const JAVASCRIPT: Language = Language {
    within: Within::JavaScript,
    indent: "    ",
    basic: ("`Basic ${btoa(\"", "\")}`"),
    headers_end: "  },\n",
    json: ("  body: JSON.stringify(", "),\n"),
    form: ("  body: new URLSearchParams(", "),\n"),
};

const PYTHON: Language = Language {
    within: Within::Python,
    indent: "        ",
    basic: ("\"Basic \" + base64.b64encode(b\"", "\").decode()"),
    headers_end: "    },\n",
    json: ("    data=json.dumps(", ").encode(),\n"),
    form: ("    data=urllib.parse.urlencode(", ").encode(),\n"),
};

/// Writes a program for Node 18, or for a module of a page.
pub fn javascript(html: &mut Html, route: &Route, headers: &[(&str, &str)]) {
    html.text("const response = await ");
    html.line("span", "command", "fetch");
    html.text("(\"");
    code::url(html, route);
    html.text("\", {\n");
    if route.method != http::Method::GET {
        html.text(&format!("  method: \"{}\",\n", route.method));
    }
    html.text("  headers: {\n");
    JAVASCRIPT.headers_and_body(html, route, &payload(route), headers);
    html.text("});\n");
    html.text(if answers_json(route) {
        "console.log(response.status, await response.json());"
    } else {
        "console.log(response.status, await response.text());"
    });
}

/// Writes a program for Python 3 without further packages.
pub fn python(html: &mut Html, route: &Route, headers: &[(&str, &str)]) {
    let payload = payload(route);
    let imports: &[&str] = match (&payload, answers_json(route)) {
        (Payload::Form(_), _) => &["base64", "json", "urllib.parse", "urllib.request"],
        (Payload::Json(_), _) | (_, true) => &["json", "urllib.request"],
        (Payload::None, false) => &["urllib.request"],
    };
    for name in imports {
        html.text(&format!("import {name}\n"));
    }
    html.text("\nrequest = urllib.request.");
    html.line("span", "command", "Request");
    html.text("(\n    \"");
    code::url(html, route);
    html.text(&format!("\",\n    method=\"{}\",\n    headers={{\n", route.method));
    PYTHON.headers_and_body(html, route, &payload, headers);
    html.text(")\nwith urllib.request.urlopen(request) as response:\n");
    html.text(if answers_json(route) {
        "    print(response.status, json.load(response))"
    } else {
        "    print(response.status, response.read())"
    });
}

impl Language {
    fn headers_and_body(&self, html: &mut Html, route: &Route, payload: &Payload, headers: &[(&str, &str)]) {
        self.authorization(html, route, payload);
        for (name, value) in headers {
            html.text(&format!("{}{}: {},\n", self.indent, Value::from(*name), Value::from(*value)));
        }
        if let Payload::Json(_) = payload {
            html.text(&format!("{}\"Content-Type\": \"application/json\",\n", self.indent));
        }
        html.text(self.headers_end);
        let (body, (before, after)) = match payload {
            Payload::Json(body) => (body, self.json),
            Payload::Form(body) => (body, self.form),
            Payload::None => return,
        };
        html.text(before);
        write_json(html, body, 1, self.within);
        html.text(after);
    }

    /// Writes the line with the `Authorization` header: the reader's token, or id and secret of a form's client.
    fn authorization(&self, html: &mut Html, route: &Route, payload: &Payload) {
        let name = format!("{}\"Authorization\": ", self.indent);
        if let Payload::Form(_) = payload {
            html.text(&name);
            html.text(self.basic.0);
            html.line("span", "fill", &example::identifier("tok"));
            html.text(":");
            html.line("span", "token", TOKEN);
            html.text(self.basic.1);
            html.text(",\n");
        } else if route.needs_token() {
            html.text(&name);
            html.text("\"Bearer ");
            html.line("span", "token", TOKEN);
            html.text("\",\n");
        }
    }
}

/// Returns an example as a reader copies it.
#[cfg(test)]
pub fn copied(write: impl FnOnce(&mut Html)) -> String {
    let mut html = Html::default();
    write(&mut html);
    let mut text = String::new();
    for part in html.finish().split('<') {
        text.push_str(part.split_once('>').map_or(part, |(_, after)| after));
    }
    let text = text.replace("&#39;", "'").replace("&quot;", "\"").replace("&gt;", ">").replace("&lt;", "<");
    text.replace("&amp;", "&").replace(super::html::HOST, "host")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes;

    fn both(operation: &str) -> (String, String) {
        let routes = routes::all();
        let route = routes.iter().find(|route| route.operation == operation).unwrap();
        (copied(|html| javascript(html, route, &[])), copied(|html| python(html, route, &[])))
    }

    #[test]
    fn a_read_is_a_whole_program() {
        let (javascript, python) = both("list_locations");
        assert_eq!(
            javascript,
            "const response = await fetch(\"http://host/locations\", {\n  headers: {\n    \"Authorization\": \"Bearer YOUR_TOKEN\",\n  },\n});\nconsole.log(response.status, await response.json());"
        );
        assert_eq!(
            python,
            "import json\nimport urllib.request\n\nrequest = urllib.request.Request(\n    \"http://host/locations\",\n    method=\"GET\",\n    headers={\n        \"Authorization\": \"Bearer YOUR_TOKEN\",\n    },\n)\nwith urllib.request.urlopen(request) as response:\n    print(response.status, json.load(response))"
        );
    }

    #[test]
    fn a_body_is_the_example_in_the_words_of_the_language() {
        let (javascript, python) = both("create_webhook_endpoint");
        let body = |text: &str, before: &str, after: &str| {
            text.split_once(before).and_then(|(_, rest)| rest.split_once(after)).unwrap().0.to_owned()
        };
        let expected = example::value(&model::events::webhook_endpoint::WEBHOOK_ENDPOINT, Way::Request);
        let read: Value = serde_json::from_str(&body(&javascript, "JSON.stringify(", "),\n});")).unwrap();
        assert_eq!(read, expected);
        let python = body(&python, "json.dumps(", ").encode()");
        assert!(!python.contains("true") && !python.contains("null"), "{python}");
        let read = python.replace("True", "true").replace("False", "false").replace("None", "null");
        assert_eq!(serde_json::from_str::<Value>(&read).unwrap(), expected);
    }

    #[test]
    fn every_operation_that_needs_a_token_sends_one() {
        for route in routes::all().iter().filter(|route| route.needs_token()) {
            let programs =
                [copied(|html| javascript(html, route, &[])), copied(|html| python(html, route, &[]))];
            for program in programs {
                assert!(program.contains("\"Bearer YOUR_TOKEN\""), "{}: {program}", route.operation);
            }
        }
    }

    #[test]
    fn every_operation_has_an_example_in_each_language() {
        for route in routes::all() {
            let javascript = copied(|html| javascript(html, &route, &[]));
            let python = copied(|html| python(html, &route, &[]));
            assert!(javascript.contains("await fetch(\"http://host/"), "{}", route.operation);
            assert!(python.contains("urllib.request.Request(\n    \"http://host/"), "{}", route.operation);
        }
    }
}
