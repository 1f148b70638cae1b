//! Exports of many rows: how much memory they take, and what becomes of those whose clients do not read.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::process_metrics;
use crate::slow_streams::narrow;
use crate::target::Target;

/// Rows of the exported table. `checks/scripts/exports.sh --long` has a million.
const ROWS: usize = 100_000;
/// How much more memory the server may take while it sends them.
const GROWTH_KIB_MAX: u64 = 64 * 1024;
/// How long the server may need beyond its time limit of two seconds, on a busy machine.
const FREED_WITHIN: Duration = Duration::from_secs(30);
const PATH: &str = "/exports/level_history.csv";
const END_OF_CHUNKS: &[u8] = b"0\r\n\r\n";

fn rows() -> usize {
    std::env::var("EXPORT_ROWS").map_or(ROWS, |rows| rows.parse().expect("EXPORT_ROWS is a number"))
}

/// Makes a level, and a history with so many changes of it.
fn fill(target: &Target, rows: usize) {
    let mut client = target.server.client(&target.token);
    let place = client.post("/locations", &testkit::load::body("Depot").to_string()).json();
    let item = client.post("/inventory_items", &json!({"sku": "A", "name": "A"}).to_string()).json();
    let id = |value: &serde_json::Value| value["id"].as_str().expect("an id").to_owned();
    let path = format!("/inventory_items/{}/levels/{}", id(&item), id(&place));
    let counted = client.request("PUT", &path, &[("Content-Type", "application/json")], "{\"on_hand\":1}");
    assert_eq!(counted.expect("an answer").status, 200);
    let insert = |number: &str, series: &str| {
        format!(
            "INSERT INTO inventory_change (owner, id, item_id, location_id, delta, on_hand, reason, created_at)
             SELECT l.owner, {number}, l.item_id, l.location_id, 1, 1, 'counted', 1 FROM inventory_level l CROSS JOIN {series}"
        )
    };
    let series = format!(
        "(WITH RECURSIVE n (v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n WHERE v < {rows}) SELECT v FROM n) n"
    );
    target.run_sql(
        &insert("printf('ic_%026d', n.v)", &series),
        &insert("'ic_' || lpad(n.v::text, 26, '0')", &format!("generate_series(1, {rows}) n (v)")),
    );
}

fn begin(target: &Target) -> TcpStream {
    ask(target, TcpStream::connect(target.address()).expect("a server that listens"))
}

fn ask(target: &Target, mut client: TcpStream) -> TcpStream {
    let token = &target.token;
    let request = format!(
        "GET {PATH} HTTP/1.1\r\nHost: dockside.example\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
    );
    client.write_all(request.as_bytes()).expect("a small request");
    client
}

#[test]
fn an_export_takes_little_memory_however_many_rows_it_has() {
    let rows = rows();
    let target = Target::start(&[]);
    fill(&target, rows);
    let process = target.server.process_id();
    let before = process_metrics::resident_kib(process);
    let (mut peak, mut lines, mut bytes, began) = (before, 0, 0_usize, Instant::now());
    let (mut client, mut buffer, mut end) = (begin(&target), vec![0; 256 * 1024], Vec::new());
    loop {
        let read = client.read(&mut buffer).expect("a connection that is kept");
        if read == 0 {
            break;
        }
        bytes += read;
        lines += buffer[..read].windows(8).filter(|part| *part == b"counted,").count();
        end.extend_from_slice(&buffer[read.saturating_sub(END_OF_CHUNKS.len())..read]);
        peak = peak.max(process_metrics::resident_kib(process));
    }
    let (seconds, growth) = (began.elapsed().as_secs_f64(), peak - before);
    println!(
        "exports on {}: {rows} rows, {} MiB in {seconds:.1} s, {} MiB more memory",
        target.engine,
        bytes >> 20,
        growth >> 10
    );
    assert!(end.ends_with(END_OF_CHUNKS), "the export is cut off");
    // A word may lie across two reads.
    assert!(lines <= rows && lines > rows - rows / 50, "{lines} of {rows} rows");
    assert!(growth < GROWTH_KIB_MAX, "{growth} KiB more");
    target.server.stop();
}

#[test]
fn exports_that_nobody_reads_end_and_others_can_begin() {
    let target = Target::start(&["--write-seconds", "2", "--exports-max", "4"]);
    fill(&target, ROWS);
    // The kernel would otherwise take most of the file.
    let held = [(), ()].map(|()| ask(&target, narrow(target.address())));
    let head = target.server.client(&target.token).request("HEAD", PATH, &[], "");
    assert_eq!(head.expect("an answer").status, 200, "a head holds nothing");
    let refused = |client: &mut TcpStream| {
        let mut head = [0; 12];
        client.read_exact(&mut head).expect("an answer");
        head.ends_with(b"429")
    };
    let is_refused = || refused(&mut begin(&target));
    // Whether both exports have ended: two others can be under way.
    let are_over = || {
        let mut first = ask(&target, narrow(target.address()));
        !refused(&mut first) && !is_refused()
    };
    let began = Instant::now();
    while !is_refused() {
        assert!(began.elapsed() < FREED_WITHIN, "both exports wait for their clients");
    }
    let began = Instant::now();
    while !are_over() {
        assert!(began.elapsed() < FREED_WITHIN, "the exports have not ended");
        std::thread::sleep(Duration::from_millis(100));
    }
    println!(
        "exports on {}: two whose clients did not read ended after {:.1} s",
        target.engine,
        began.elapsed().as_secs_f64()
    );
    for mut client in held {
        let mut text = Vec::new();
        let ended = client.read_to_end(&mut text);
        let is_whole = ended.is_ok() && text.ends_with(END_OF_CHUNKS);
        let head = String::from_utf8_lossy(&text[..text.len().min(300)]).into_owned();
        assert!(!is_whole, "a part of {} bytes looks like the whole: {head}", text.len());
    }
    target.server.stop();
}
