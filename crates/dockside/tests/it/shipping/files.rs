//! Files behind signed links: a valid link gives its file to every holder for an hour, and gives nothing else.
//!
//! With `TEST_S3` the same tests keep the files in a bucket.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use api::server;
use api::{App, Limits};
use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use model::shipping::document::DocumentType;
use model::{Document, Id, Owner, World as Mode};
use service::shipping::documents::{Bucket, FilePlace, NewDocument, StoredDocument};
use service::{Service, Settings, SystemRandom};
use store::shipping::documents;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use crate::setup::world::World;

const BASE: &str = "https://dockside.example.com";
/// What a shipment's id might be.
const SUBJECT: &str = "shp_00000000000000000000000001";

fn label(bytes: impl Into<Bytes>) -> NewDocument {
    NewDocument {
        r#type: DocumentType::Label,
        package: None,
        file_name: "Label für Ø.pdf".to_owned(),
        file_type: "application/pdf".to_owned(),
        bytes: bytes.into(),
    }
}

/// Keeps a file as an operation would: its bytes, then its row.
async fn keep(world: &World, owner: Owner, new: &NewDocument) -> StoredDocument {
    let file = world.service.documents.keep_file(owner, new).await.expect("the bytes are kept");
    let now = world.service.context.now();
    let insert =
        world.db.write(owner, async move |tx| documents::insert(tx, owner, SUBJECT, &file, now).await);
    insert.await.expect("the row is kept")
}

/// The path of a document's link.
fn path(document: &Document) -> String {
    document.file_url.strip_prefix(BASE).expect("it begins with the public address").to_owned()
}

/// Fetches without any token, as a browser does.
async fn fetch(app: &App, method: &str, path: &str) -> (http::response::Parts, Bytes) {
    let request =
        Request::builder().method(method).uri(path).body(Full::<Bytes>::default()).expect("a request");
    let (head, body) = app.handle(request, None).await.into_parts();
    (head, body.collect().await.expect("a body").to_bytes())
}

/// The status and the code of a refusal.
async fn refusal(app: &App, path: &str) -> (u16, String) {
    let (head, body) = fetch(app, "GET", path).await;
    let problem: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
    (head.status.as_u16(), problem["code"].as_str().unwrap_or_default().to_owned())
}

/// Bytes of which no two stretches are the same.
fn pattern(length: u32) -> Vec<u8> {
    (0..length.div_ceil(4)).flat_map(u32::to_be_bytes).take(length as usize).collect()
}

/// The product, started again on what it kept.
fn restart(world: &World, change: impl FnOnce(&mut Settings)) -> (Service, App) {
    let mut settings = world.service.settings().clone();
    change(&mut settings);
    let service = Service::new(world.db.clone(), world.clock.clone(), Arc::new(SystemRandom), settings);
    let service = service.expect("a service");
    (service.clone(), App::new(service, Limits::default()).expect("the route table is sound"))
}

#[tokio::test]
async fn a_link_gives_the_file_to_every_holder() {
    let world = World::new().await;
    let bytes: Vec<u8> = (0..=255).collect();
    let kept = keep(&world, world.owner(), &label(bytes.clone())).await;
    let document = world.service.documents.sign(world.owner(), &kept);
    assert_eq!((document.id, document.file_size), (kept.file.id, 256));
    assert_eq!((document.created_at, document.updated_at), (kept.created_at, kept.updated_at));
    assert_eq!(document.r#type, DocumentType::Label);

    let (head, body) = fetch(&world.app, "GET", &path(&document)).await;
    assert_eq!((head.status.as_u16(), &body[..]), (200, &bytes[..]));
    let name = "attachment; filename=\"Label f_r _.pdf\"; filename*=UTF-8''Label%20f%C3%BCr%20%C3%98.pdf";
    let expected = [
        ("content-type", "application/pdf"),
        ("content-length", "256"),
        ("content-disposition", name),
        ("cache-control", "private, no-store"),
        ("content-security-policy", "sandbox; default-src 'none'"),
        ("x-content-type-options", "nosniff"),
    ];
    for (header, value) in expected {
        assert_eq!(head.headers.get(header).expect(header), value, "{header}");
    }

    let (mut only_head, nothing) = fetch(&world.app, "HEAD", &path(&document)).await;
    assert_eq!((only_head.status.as_u16(), nothing.len()), (200, 0));
    only_head.headers.remove("x-request-id");
    let mut head = head;
    head.headers.remove("x-request-id");
    assert_eq!(only_head.headers, head.headers);
}

#[tokio::test]
async fn files_of_every_size_arrive_whole() {
    const PIECE: u32 = 1 << 20;
    let world = World::new().await;
    for length in [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 3 * PIECE + 12_345] {
        let bytes = pattern(length);
        let kept = keep(&world, world.owner(), &label(bytes.clone())).await;
        let path = path(&world.service.documents.sign(world.owner(), &kept));
        let (head, body) = fetch(&world.app, "GET", &path).await;
        assert_eq!(head.headers["content-length"], length.to_string());
        assert!(body == bytes, "{length} bytes became {}", body.len());
        let (head, body) = fetch(&world.app, "HEAD", &path).await;
        assert_eq!((head.headers["content-length"].to_str().unwrap(), body.len()), (&*length.to_string(), 0));
    }
}

#[tokio::test]
async fn a_link_ends_and_a_new_one_is_made_with_each_read() {
    let world = World::new().await;
    let kept = keep(&world, world.owner(), &label("label")).await;
    let old = path(&world.service.documents.sign(world.owner(), &kept));
    world.advance_seconds(3599);
    assert_eq!(fetch(&world.app, "GET", &old).await.0.status, 200);
    let new = path(&world.service.documents.sign(world.owner(), &kept));
    world.advance_seconds(1);
    assert_eq!(refusal(&world.app, &old).await, (403, "file_link_expired".to_owned()));
    assert_eq!(fetch(&world.app, "HEAD", &old).await.0.status, 403);
    assert_eq!(fetch(&world.app, "GET", &new).await.0.status, 200);

    // The operator may let them live shorter.
    let (service, app) = restart(&world, |settings| settings.files.link_seconds = 5);
    let short = path(&service.documents.sign(world.owner(), &kept));
    assert_eq!(fetch(&app, "GET", &short).await.0.status, 200);
    world.advance_seconds(5);
    assert_eq!(refusal(&app, &short).await, (403, "file_link_expired".to_owned()));
}

#[tokio::test]
async fn an_altered_link_is_refused_whatever_was_altered() {
    let world = World::new().await;
    let kept = keep(&world, world.owner(), &label("label")).await;
    let sound = path(&world.service.documents.sign(world.owner(), &kept));
    let (_, token) = sound.rsplit_once('/').unwrap();
    let invalid = (403, "file_link_invalid".to_owned());
    for place in 0..token.len() {
        let mut altered = token.to_owned();
        let letter = if token.as_bytes()[place] == b'A' { "B" } else { "A" };
        altered.replace_range(place..=place, letter);
        assert_eq!(refusal(&world.app, &format!("/files/{altered}")).await, invalid, "letter {place}");
    }
    let more = [
        format!("{token}A"),
        token[1..].to_owned(),
        format!("{token}%3D"),
        "x".to_owned(),
        "%2e%2e".to_owned(),
    ];
    for altered in more {
        assert_eq!(refusal(&world.app, &format!("/files/{altered}")).await, invalid, "{altered}");
    }
    // What another installation signed, or this one before its key was replaced.
    let (other, _) = restart(&world, |settings| settings.signing_key = [9; 32]);
    let foreign = path(&other.documents.sign(world.owner(), &kept));
    assert_eq!(refusal(&world.app, &foreign).await, invalid);
    assert_eq!(fetch(&world.app, "GET", &sound).await.0.status, 200);
}

#[tokio::test]
async fn a_link_is_to_the_file_of_one_owner() {
    let world = World::new().await;
    let owner = world.owner();
    let kept = keep(&world, owner, &label("label")).await;
    let test = Owner { world: Mode::Test, ..owner };
    let other = Owner { organisation: Id::from_bits(77), world: Mode::Live };
    for stranger in [test, other] {
        let link = path(&world.service.documents.sign(stranger, &kept));
        assert_eq!(refusal(&world.app, &link).await, (404, "not_found".to_owned()), "{stranger}");
    }
}

#[tokio::test]
async fn files_and_links_outlive_the_process() {
    let world = World::new().await;
    let kept = keep(&world, world.owner(), &label("label")).await;
    let link = path(&world.service.documents.sign(world.owner(), &kept));
    let (service, app) = restart(&world, |_| {});
    assert_eq!(fetch(&app, "GET", &link).await.1, "label");
    let link = path(&service.documents.sign(world.owner(), &kept));
    assert_eq!(fetch(&app, "GET", &link).await.1, "label");
    assert_eq!(fetch(&world.app, "GET", &link).await.1, "label");
}

#[tokio::test]
async fn what_is_gone_is_not_found() {
    let world = World::new().await;
    let owner = world.owner();
    let (lost, forgotten) = (keep(&world, owner, &label("a")).await, keep(&world, owner, &label("b")).await);
    let [lost_path, forgotten_path] =
        [&lost, &forgotten].map(|kept| path(&world.service.documents.sign(owner, kept)));
    let nowhere = format!("UPDATE document SET place = 'nowhere' WHERE id = '{}'", lost.file.id);
    world.tamper(&nowhere).await;
    let not_found = (404, "not_found".to_owned());
    assert_eq!(refusal(&world.app, &lost_path).await, not_found);
    assert_eq!(fetch(&world.app, "HEAD", &lost_path).await.0.status, 404);
    assert_eq!(fetch(&world.app, "GET", &forgotten_path).await.1, "b");
    let forget =
        world.db.write(owner, async move |tx| documents::delete_of_subject(tx, owner, SUBJECT).await);
    assert_eq!(forget.await.unwrap(), 2);
    assert_eq!(refusal(&world.app, &forgotten_path).await, not_found);
}

#[tokio::test]
async fn a_file_kept_again_takes_its_own_place() {
    let world = World::new().await;
    let owner = world.owner();
    let first = world.service.documents.keep_file(owner, &label("as it came first")).await.unwrap();
    let again = world.service.documents.keep_file_as(owner, first.id, &label("again")).await.unwrap();
    assert_eq!(first.place, again.place);
    let (now, id) = (world.service.context.now(), again.id);
    let insert =
        world.db.write(owner, async move |tx| documents::insert(tx, owner, SUBJECT, &again, now).await);
    let kept = insert.await.unwrap();
    assert_eq!(kept.file.id, id);
    assert_eq!(fetch(&world.app, "GET", &path(&world.service.documents.sign(owner, &kept))).await.1, "again");
}

/// The folder of a world that has no bucket: it can be looked into, and damaged.
fn folder(world: &World) -> PathBuf {
    let FilePlace::Folder(folder) = world.service.settings().files.place.clone() else {
        panic!("files are in a bucket")
    };
    folder
}

#[tokio::test]
async fn a_folder_holds_the_bytes_and_a_damaged_one_is_no_answer() {
    let world = World::new().await;
    let folder = folder(&world);
    let owner = world.owner();
    let kept = keep(&world, owner, &label(pattern(3 << 20))).await;
    let link = path(&world.service.documents.sign(owner, &kept));
    let file = folder.join(owner.to_string()).join(kept.file.id.to_string());
    assert!(std::fs::read(&file).unwrap() == pattern(3 << 20));
    assert_eq!(std::fs::read_dir(file.parent().unwrap()).unwrap().count(), 1, "nothing half written is left");

    // Cut in its first piece: refused. Later: the answer breaks off, short of what it promised.
    std::fs::write(&file, pattern(1000)).unwrap();
    assert!(fetch(&world.app, "GET", &link).await.0.status.is_server_error());
    std::fs::write(&file, pattern(3 << 19)).unwrap();
    let (head, body) = fetch(&world.app, "GET", &link).await;
    assert_eq!((head.status.as_u16(), head.headers["content-length"].to_str().unwrap()), (200, "3145728"));
    assert!(body.len() < 3 << 20);

    std::fs::remove_file(&file).unwrap();
    assert_eq!(refusal(&world.app, &link).await, (404, "not_found".to_owned()));
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(refusal(&world.app, &link).await, (404, "not_found".to_owned()));
}

#[tokio::test]
async fn a_folder_that_can_not_be_read_is_told_apart_from_a_file_that_is_gone() {
    let world = World::new().await;
    let kept = keep(&world, world.owner(), &label("label")).await;
    // A file where the folder should be: the place is not empty, but wrong.
    let folder = folder(&world);
    let file = folder.join(&kept.file.place);
    std::fs::remove_file(&file).unwrap();
    std::fs::write(folder.join("file"), "").unwrap();
    std::fs::remove_dir_all(file.parent().unwrap()).unwrap();
    std::fs::rename(folder.join("file"), file.parent().unwrap()).unwrap();
    let (head, _) =
        fetch(&world.app, "GET", &path(&world.service.documents.sign(world.owner(), &kept))).await;
    assert_eq!(head.status, 503);
    assert_eq!(head.headers["retry-after"], "1");
    let error = world.service.documents.keep_file(world.owner(), &label("label")).await.unwrap_err();
    assert!(error.to_string().contains(&folder.display().to_string()), "{error}");
}

#[tokio::test]
async fn a_bucket_that_does_not_answer_is_told_apart_from_a_file_that_is_gone() {
    let world = World::new().await;
    let kept = keep(&world, world.owner(), &label("label")).await;
    // The listener is dropped at once: the port was free, and no process listens there.
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let bucket = Bucket {
        name: "dockside".to_owned(),
        prefix: String::new(),
        endpoint: Some(format!("http://{address}")),
        region: None,
        key_id: "test".to_owned(),
        secret: "hunter2".to_owned(),
        is_in_path: true,
    };
    let (service, app) = restart(&world, |settings| settings.files.place = FilePlace::Bucket(bucket));
    let link = path(&service.documents.sign(world.owner(), &kept));
    assert_eq!(refusal(&app, &link).await, (503, "files_unavailable".to_owned()));
    let started = service.documents.check_files().await.unwrap_err().to_string();
    assert!(started.contains("the setting files names the bucket dockside"), "{started}");
    assert!(started.contains(&address.to_string()) && !started.contains("hunter2"), "{started}");
}

/// Asks over a socket, and gives the head and whatever came after it until the connection was closed.
async fn ask(address: SocketAddr, method: &str, path: &str) -> (String, Vec<u8>) {
    let mut socket = TcpStream::connect(address).await.expect("a connection");
    let request = format!("{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    socket.write_all(request.as_bytes()).await.expect("it is sent");
    let mut answer = Vec::new();
    // A connection that is reset has nothing more to say either.
    let _reset = socket.read_to_end(&mut answer).await;
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("a head") + 4;
    let body = answer.split_off(end);
    (String::from_utf8(answer).expect("text").to_lowercase(), body)
}

#[tokio::test]
async fn on_the_wire_a_large_file_has_its_length_and_a_cut_one_breaks_off() {
    const LENGTH: u32 = 5 << 20;
    let world = World::new().await;
    let kept = keep(&world, world.owner(), &label(pattern(LENGTH))).await;
    let link = path(&world.service.documents.sign(world.owner(), &kept));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("its address");
    let (stop, stopped) = oneshot::channel::<()>();
    let app = world.app.clone();
    let serving = tokio::spawn(server::serve(listener, app, async { drop(stopped.await) }));

    let (head, body) = ask(address, "GET", &link).await;
    assert!(head.starts_with("http/1.1 200 ok\r\n"), "{head}");
    assert!(
        head.contains("\r\ncontent-length: 5242880\r\n") && !head.contains("transfer-encoding"),
        "{head}"
    );
    assert!(body == pattern(LENGTH), "{} bytes came", body.len());
    let (head, body) = ask(address, "HEAD", &link).await;
    assert!(head.contains("\r\ncontent-length: 5242880\r\n") && body.is_empty(), "{head}");

    // The row promises more than there is: what is there comes, and the connection ends before the promised length.
    let longer = format!("UPDATE document SET file_size = file_size + 1000000 WHERE id = '{}'", kept.file.id);
    world.tamper(&longer).await;
    let (head, body) = ask(address, "GET", &link).await;
    assert!(head.contains("\r\ncontent-length: 6242880\r\n"), "{head}");
    assert!(body.len() <= LENGTH as usize && pattern(LENGTH).starts_with(&body), "{} bytes came", body.len());
    stop.send(()).expect("it serves");
    serving.await.expect("it stops");
}
