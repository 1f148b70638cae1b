//! `dockside export`: a file that is complete, or none.

use std::io::{Read, Write};
use std::net::TcpListener;

use testkit::load;
use testkit::server::{Server, run, token};

#[test]
fn an_export_is_written_and_a_refusal_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let token = token(folder.path(), &["--data", "data"]);
    let server = Server::start(folder.path(), &["--data", "data"]);
    let mut client = server.client(&token);
    for name in ["Bath", "York"] {
        assert_eq!(client.post("/locations", &load::body(name).to_string()).status, 201);
    }
    let url = format!("http://{}", server.address);
    let export = |words: &[&str]| {
        run(folder.path(), &[&["export"], words, &["--url", &url, "--token", &token]].concat())
    };
    let made = export(&["locations", "--output", "out.csv"]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    let text = std::fs::read_to_string(folder.path().join("out.csv")).unwrap();
    assert!(
        text.starts_with("\u{FEFF}id,name,") && text.contains(",Bath,") && text.contains(",York,"),
        "{text}"
    );
    let lines = export(&["locations", "--format", "ndjson", "--filter", "tags=crash"]);
    assert_eq!((lines.code, lines.stdout.lines().count()), (0, 2), "{}", lines.stderr);
    let none = export(&["locations", "--format", "ndjson", "--filter", "tags=none"]);
    assert_eq!((none.code, none.stdout.as_str()), (0, ""), "{}", none.stderr);
    let refused = export(&["locations", "--filter", "tag=x", "--output", "refused.csv"]);
    assert!(refused.code != 0 && refused.stderr.contains("Did you mean tags?"), "{}", refused.stderr);
    assert!(!folder.path().join("refused.csv").exists() && !folder.path().join("refused.csv.part").exists());
    server.stop();
}

#[test]
fn a_download_that_breaks_off_fails_and_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let mut head = [0; 4096];
        assert!(client.read(&mut head).unwrap() > 0);
        let part =
            "HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nid\r\n\r\n";
        client.write_all(part.as_bytes()).unwrap();
    });
    std::fs::write(folder.path().join("out.csv"), "an earlier export").unwrap();
    let words = ["export", "orders", "--output", "out.csv", "--url", &url, "--token", "x"];
    let failed = run(folder.path(), &words);
    assert!(failed.code != 0 && failed.stderr.contains("The export is incomplete"), "{}", failed.stderr);
    assert_eq!(std::fs::read_to_string(folder.path().join("out.csv")).unwrap(), "an earlier export");
    assert!(!folder.path().join("out.csv.part").exists());
    server.join().unwrap();
}
