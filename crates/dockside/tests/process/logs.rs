//! The log of a running server: each line can be read by a program, a fault's line has the id that the caller was told, the
//! filter filters, and no setting shows secrets, bodies or addresses.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use carriers::sandbox::Mode;
use serde_json::{Value, json};
use testkit::client::Client;
use testkit::database::Database;
use testkit::load::body;
use testkit::resources::{create, send};
use testkit::server::{Server, program_path, run, token, wait_until};
use testkit::shipments::{buy, create_account, create_shipment, shipment_body};

use crate::receiver::Receiver;

/// How long something may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// Parts of requests that no line may contain.
const HIDDEN: &[&str] = &[
    "Hidden Harbour",
    "hidden-path",
    "hidden-query",
    "hidden-key",
    "hidden-name",
    "Hidden Person",
    "hidden@person.example",
    "441174960000",
    "EZTKhidden",
    "hidden-secret",
    // How the sandbox carrier's access tokens begin.
    "sandbox-access-",
    "Quay Street",
    "BS1 4DJ",
];

/// Reads each line of a log, and checks that it has what every line has.
fn read(log: &str) -> Vec<Value> {
    let line = |text: &str| {
        let line: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        for name in ["time", "level", "target", "message"] {
            assert!(line[name].as_str().is_some_and(|value| !value.is_empty()), "{name} is missing: {text}");
        }
        let time = line["time"].as_str().unwrap();
        assert!(model::Timestamp::parse(time).is_some_and(|read| read.to_string() == time), "{text}");
        let is_flat = |value: &Value| !value.is_object() && !value.is_array();
        assert!(line.as_object().unwrap().values().all(is_flat), "{text}");
        line
    };
    log.lines().map(line).collect()
}

/// Uses everything that holds secrets, bodies or addresses, and returns the secrets that the server made.
fn use_secrets(server: &Server, token: &str, hooks: &Receiver) -> Vec<String> {
    let mut client = server.client(token);
    assert_eq!(client.post("/events/provision", "").status, 204);
    let hook = json!({ "url": format!("{}/hidden-path?token=hidden-query", hooks.url()) });
    let made = client.post("/webhook_endpoints", &hook.to_string()).json();
    let mut secrets = vec![made["secret"].as_str().expect("a secret").to_owned()];
    let location = create(&mut client, "/locations", &body("Hidden Harbour"));
    client.get(&format!("/locations/{location}?hidden-query=1"));
    client.get("/locations?tags=hidden-query");
    client.get("/hidden-path/EZTKhidden");
    let key = [("Idempotency-Key", "hidden-key")];
    let broken = client.request("POST", "/locations", &key, r#"{"name":"Hidden Harbour","#).unwrap();
    assert_eq!(broken.status, 400, "{broken:?}");
    create_account(&mut client, Mode::Idempotent, None);
    // The carrier loses the answer to the first request, so the purchase is looked up, and its decisions are logged.
    let bought = [create_shipment(&mut client, "BS1 4DJ"), create_shipment(&mut client, "SBX-LOST-NOT")];
    for shipment in &bought {
        buy(&mut client, shipment, Mode::Idempotent, "wait=5").expect("an answer");
    }
    ask_with_tokens(&mut client);
    let documents = client.get(&format!("/shipments/{}/documents", bought[0])).json();
    let link = documents["data"][0]["file_url"].as_str().expect("a link").to_owned();
    let signed = link.split_once("/files/").expect("a path").1;
    // The file itself is no text.
    let head = server.client("").request("HEAD", &format!("/files/{signed}"), &[], "").unwrap();
    assert_eq!(head.status, 200, "{head:?}");
    secrets.push(signed.to_owned());
    let revoked = server.client("dk_live_hidden-key").get("/locations");
    assert_eq!(revoked.status, 401);
    secrets
}

/// Asks a carrier that wants an access token for rates.
fn ask_with_tokens(client: &mut Client) {
    let account = json!({
        "carrier": { "handle": "sandbox" }, "name": "Tokens", "handle": "tokens",
        "configuration": { "tokens": true }, "credentials": { "client_secret": "hidden-secret" },
    });
    create(client, "/carrier_accounts", &account);
    let shipment = create_shipment(client, "BS1 4DJ");
    let rated = client.post(&format!("/shipments/{shipment}/rates"), "");
    assert!(rated.status == 200 && rated.body.contains("Tokens"), "{rated:?}");
}

/// Asks a carrier for rates, with credentials and for a person. The carrier fails.
fn ask_for_rates(client: &mut Client) {
    let account = json!({
        "carrier": { "handle": "easypost" }, "name": "Gateway", "handle": "easypost",
        "credentials": { "api_key": "EZTKhidden" },
    });
    create(client, "/carrier_accounts", &account);
    let mut wanted = shipment_body("BS1 4DJ");
    for role in ["origin", "destination"] {
        wanted["addresses"][role]["contact"] = json!({
            "name": "Hidden Person", "email_address": "hidden@person.example", "phone_number": "+441174960000",
        });
    }
    wanted["packages"][0]["geometry"] = json!({ "length": 25, "width": 20, "height": 10, "mass": 0.4 });
    wanted["name"] = json!("hidden-name");
    let shipment = create(client, "/shipments", &wanted);
    let rated = client.post(&format!("/shipments/{shipment}/rates"), "");
    assert!(rated.status == 200 && rated.body.contains("provider_unavailable"), "{rated:?}");
}

/// Checks that a server that logs all that it can logs nothing that must stay hidden.
fn check_hidden(home: &Path, store: &[&str]) {
    let (hooks, carrier) = (Receiver::start(&[]), Receiver::start(&[(500, "Hidden Person")]));
    let urls = format!("easypost=http://{}", carrier.address);
    let more = ["--log", "trace", "--outbound-allow", "127.0.0.0/8", "--carrier-urls", &urls];
    let (live, test) = (token(home, store), token(home, &[store, &["--test"]].concat()));
    let mut server = Server::start(home, &[store, &more].concat());
    let mut secrets = use_secrets(&server, &test, &hooks);
    ask_for_rates(&mut server.client(&live));
    assert!(carrier.next().header("authorization").starts_with("Basic "), "the carrier was called");
    let is_posted = || server.log().contains("webhook posted");
    wait_until("a webhook is posted", PATIENCE, is_posted);
    let log = server.stopped();
    let lines = read(&log);
    // All kinds of spans and lines are there, so the search below has something to search.
    for (name, value) in [
        ("message", "request"),
        ("message", "transaction ended"),
        ("message", "carrier called"),
        ("message", "carrier token requested"),
        ("message", "webhook posted"),
        ("operation", "create_location"),
        ("level", "debug"),
    ] {
        assert!(lines.iter().any(|line| line[name] == value), "no line has {name}={value}: {log}");
    }
    assert!(lines.iter().any(|line| line["purchase"].is_string() && line["node"].is_string()), "{log}");
    secrets.extend([live, test]);
    for file in ["data/secrets.toml", "dockside-data/secrets.toml"] {
        let text = std::fs::read_to_string(home.join(file)).unwrap_or_default();
        secrets.extend(text.lines().filter_map(|line| line.split('"').nth(1)).map(str::to_owned));
    }
    for hidden in secrets.iter().map(String::as_str).chain(HIDDEN.iter().copied()) {
        assert!(hidden.len() >= 7, "too short to be searched for: {hidden}");
        let found: Vec<_> = log.lines().filter(|line| line.contains(hidden)).collect();
        assert!(found.is_empty(), "{hidden} is in {found:?}");
    }
}

#[test]
fn no_setting_logs_secrets_bodies_or_addresses_on_sqlite() {
    let home = tempfile::tempdir().unwrap();
    check_hidden(home.path(), &["--data", "data"]);
}

#[test]
fn no_setting_logs_secrets_bodies_or_addresses_on_postgresql() {
    let (home, database) = (tempfile::tempdir().unwrap(), Database::create());
    check_hidden(home.path(), &["--database-url", &database.url]);
}

/// Makes the document of each location unreadable, as a bug would.
fn corrupt(home: &Path, doc: &str) {
    let store = rusqlite::Connection::open(home.join("data/dockside.db")).unwrap();
    let changed = store.execute("UPDATE location SET doc = ?1", [doc]).unwrap();
    assert!(changed > 0);
}

#[test]
fn the_line_of_a_fault_has_the_request_id_of_the_answer_and_no_value() {
    let home = tempfile::tempdir().unwrap();
    let store = ["--data", "data"];
    let token = token(home.path(), &store);
    let server = Server::start(home.path(), &store);
    let path = format!("/locations/{}", create(&mut server.client(&token), "/locations", &body("Quay")));
    server.stop();
    corrupt(home.path(), r#"{"name": "Hidden Harbour", "address": "Hidden Alley 7"}"#);
    // Even the tightest filter lets the line pass, with the request's id.
    let mut server = Server::start(home.path(), &[&store[..], &["--log", "error,dockside=info"]].concat());
    let failed = send(&mut server.client(&token), "PATCH", &path, &json!({ "name": "Other" }));
    assert_eq!((failed.status, failed.code().as_str()), (500, "internal_error"), "{failed:?}");
    let told = failed.json()["request_id"].as_str().expect("an id").to_owned();
    assert_eq!(failed.header("x-request-id"), Some(told.as_str()));
    assert!(!failed.body.contains("Nothing was written"), "{}", failed.body);
    let log = server.stopped();
    let lines = read(&log);
    let faults: Vec<_> = lines.iter().filter(|line| line["level"] == "error").collect();
    assert_eq!(faults.len(), 1, "a fault is logged once: {log}");
    let fault = faults[0];
    assert_eq!(fault["request_id"], told.as_str(), "{log}");
    assert_eq!(
        (&fault["message"], &fault["route"]),
        (&json!("request failed"), &json!("/locations/{location_id}"))
    );
    assert!(fault["organisation"].as_str().is_some_and(|id| id.starts_with("org_")), "{fault}");
    assert!(fault["node"].is_string(), "{fault}");
    let error = fault["error"].as_str().unwrap();
    assert!(error.contains("JSON can't be read") && !log.contains("Hidden"), "{error}");
}

#[test]
fn an_error_of_postgresql_is_logged_without_the_row_that_it_quotes() {
    let (home, database) = (tempfile::tempdir().unwrap(), Database::create());
    let store = ["--database-url", database.url.as_str()];
    let token = token(home.path(), &store);
    database.execute("ALTER TABLE location ADD CONSTRAINT no_harbour CHECK (doc NOT LIKE '%Harbour%')");
    let mut server = Server::start(home.path(), &store);
    let failed = send(&mut server.client(&token), "POST", "/locations", &body("Hidden Harbour"));
    assert_eq!((failed.status, failed.code().as_str()), (500, "internal_error"), "{failed:?}");
    let log = server.stopped();
    let lines = read(&log);
    let fault = lines.iter().find(|line| line["level"] == "error").expect("the fault");
    let error = fault["error"].as_str().unwrap();
    assert!(error.contains("SQLSTATE 23514") && error.contains("constraint no_harbour"), "{error}");
    assert_eq!(fault["request_id"], failed.json()["request_id"]);
    assert!(!log.contains("Hidden") && !log.contains("Failing row"), "{log}");
}

#[test]
fn the_filter_says_which_lines_are_logged() {
    let home = tempfile::tempdir().unwrap();
    let targets = |settings: &[&str]| -> Vec<Value> {
        let store = ["--data", "data"];
        let token = token(home.path(), &store);
        let mut server = Server::start(home.path(), &[&store[..], settings].concat());
        create(&mut server.client(&token), "/locations", &body("Quay"));
        read(&server.stopped())
    };
    let has = |lines: &[Value], name: &str, value: &str| lines.iter().any(|line| line[name] == value);
    let usual = targets(&[]);
    assert!(has(&usual, "target", "dockside::request") && !has(&usual, "level", "debug"), "{usual:?}");
    let request = usual.iter().find(|line| line["message"] == "request").expect("a request");
    for name in ["method", "route", "status", "micros", "request_id", "organisation", "node"] {
        assert!(!request[name].is_null(), "{name} is missing: {request}");
    }
    let quiet = targets(&["--log", "info,dockside::request=off"]);
    assert!(
        !has(&quiet, "target", "dockside::request") && has(&quiet, "target", "dockside::serve"),
        "{quiet:?}"
    );
    let deep = targets(&["--log", "info,store=debug"]);
    let transaction = deep.iter().find(|line| line["access"] == "write" && line["request_id"].is_string());
    let transaction = transaction.expect("the transaction of the request");
    assert_eq!((&transaction["engine"], &transaction["is_ok"]), (&json!("sqlite"), &json!(true)));
    assert_eq!(transaction["target"], "store::platform::engine");
}

#[test]
fn a_filter_that_can_not_be_read_is_refused_at_the_start() {
    let home = tempfile::tempdir().unwrap();
    for (filter, says) in
        [("infoo", "part 1"), ("service=loud", "part 1, which can't"), ("hyper=trace", "target of Dockside")]
    {
        let refused =
            run(home.path(), &["serve", "--listen", "127.0.0.1:0", "--data", "data", "--log", filter]);
        assert_eq!(refused.code, 1, "{}", refused.stderr);
        assert!(
            refused.stderr.starts_with("dockside: the setting log is wrong in part "),
            "{}",
            refused.stderr
        );
        assert!(refused.stderr.contains(says), "{}", refused.stderr);
    }
    assert!(!home.path().join("data").exists(), "it is refused before anything is made");
}

#[test]
fn at_a_terminal_lines_are_aligned_in_columns() {
    let home = tempfile::tempdir().unwrap();
    let screen = home.path().join("screen");
    let serve = format!("'{}' serve --listen 0 --data data", program_path().display());
    let mut terminal = Command::new("script");
    terminal.args(["-qefc", &serve, "/dev/null"]).current_dir(home.path()).stdin(Stdio::null());
    let mut terminal = terminal.stdout(File::create(&screen).unwrap()).spawn().expect("script runs");
    let shown = || std::fs::read_to_string(&screen).unwrap();
    wait_until("the server listens", PATIENCE, || shown().contains("listening on http://"));
    let text = shown();
    let address = text.split("listening on http://").nth(1).and_then(|rest| rest.split_whitespace().next());
    let address = address.expect("an address").parse().expect("an address");
    let mut client = Client::connect(address, "").unwrap();
    for path in ["/healthz", "/locations", "/docs/guide/operating"] {
        client.get(path);
    }
    wait_until("all are logged", PATIENCE, || shown().matches("dockside::request").count() == 3);
    let text = shown();
    terminal.kill().unwrap();
    terminal.wait().unwrap();
    let requests: Vec<_> = text.lines().filter(|line| line.contains("dockside::request")).collect();
    let place =
        |line: &str, word: &str| line.find(word).unwrap_or_else(|| panic!("{word} is missing: {line}"));
    for word in ["INFO", "dockside::request", "  GET ", " ms  ", "req_"] {
        let places: Vec<_> = requests.iter().map(|line| place(line, word)).collect();
        assert!(places.iter().all(|other| *other == places[0]), "{word} is at {places:?}: {requests:#?}");
    }
    assert!(requests.iter().all(|line| model::Timestamp::parse(&line[..27]).is_some()), "{requests:#?}");
}
