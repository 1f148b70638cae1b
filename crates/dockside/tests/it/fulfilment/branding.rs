//! `/branding`: set, shown, deleted; hostile logos are refused; each world has its own.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use model::World as Mode;
use serde_json::{Value, json};
use std::io::Write as _;

use crate::setup::stock_requests::refusal;
use crate::setup::world::World;

/// Returns a PNG in grey with this header and these bytes, which need not fit each other.
pub fn png(width: u32, height: u32, rows: &[u8]) -> Vec<u8> {
    let mut crc = flate2::Crc::new();
    let mut chunk = |file: &mut Vec<u8>, kind: &[u8], data: &[u8]| {
        file.extend((data.len() as u32).to_be_bytes());
        file.extend(kind);
        file.extend(data);
        crc.reset();
        crc.update(kind);
        crc.update(data);
        file.extend(crc.sum().to_be_bytes());
    };
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let size = [width.to_be_bytes(), height.to_be_bytes()].concat();
    chunk(&mut file, b"IHDR", &[&size[..], &[8, 0, 0, 0, 0]].concat());
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    packed.write_all(rows).expect("a vector takes everything");
    chunk(&mut file, b"IDAT", &packed.finish().expect("a vector takes everything"));
    chunk(&mut file, b"IEND", b"");
    file
}

/// Returns a logo of so many pixels, in base64.
pub fn logo(width: u32, height: u32) -> String {
    let row: Vec<u8> = std::iter::once(0).chain(std::iter::repeat_n(90, width as usize)).collect();
    STANDARD.encode(png(width, height, &row.repeat(height as usize)))
}

fn nothing() -> Value {
    json!({"name": null, "colour": null, "footer": null, "logo": null, "updated_at": null})
}

#[tokio::test]
async fn a_branding_is_set_shown_replaced_and_deleted() {
    let world = World::new().await;
    let unset = world.get("/branding").await;
    assert_eq!((unset.status.as_u16(), unset.json(), unset.header("etag")), (200, nothing(), "\"1\""));
    let body = json!({"name": "Riverside", "colour": "#00A0FF", "footer": "Thank you", "logo": logo(30, 10)});
    let set = world.put("/branding", body.clone()).await;
    assert_eq!((set.status.as_u16(), set.header("etag")), (200, "\"2\""), "{set}");
    assert_eq!(set.json()["colour"], "#00a0ff", "in small letters");
    assert_eq!((&set.json()["name"], &set.json()["logo"]), (&body["name"], &body["logo"]));
    assert!(set.json()["updated_at"].is_string());
    assert_eq!(world.get("/branding").await.json(), set.json());

    // What was read may be sent back, and changes nothing.
    let events = world.events().await.len();
    let again = world.put("/branding", set.json()).await;
    assert_eq!((again.status.as_u16(), again.header("etag"), again.json()), (200, "\"2\"", set.json()));
    assert_eq!(world.events().await.len(), events);

    // All of it is replaced.
    let other = world.put("/branding", json!({"footer": "Bye"})).await;
    assert_eq!((&other.json()["name"], &other.json()["logo"]), (&Value::Null, &Value::Null));
    assert_eq!(world.delete("/branding").await.status, 204);
    let gone = world.get("/branding").await;
    assert_eq!((gone.json()["footer"].clone(), gone.header("etag")), (Value::Null, "\"4\""));
    assert_eq!(world.delete("/branding").await.status, 204, "deleting nothing is no error");
}

#[tokio::test]
async fn a_change_is_an_event_of_the_organisation_and_has_no_logo_in_it() {
    let world = World::new().await;
    let before = world.get("/organisation").await;
    world.put("/branding", json!({"name": "Riverside", "logo": logo(4, 4)})).await;
    world.relay().await;
    let events = world.get("/events?limit=1").await.json();
    let event = &events["data"][0];
    assert_eq!(event["type"], "organisation.updated", "{event}");
    assert!(event.to_string().len() < 2_000, "{event}");
    let after = world.get("/organisation").await;
    assert_ne!(after.header("etag"), before.header("etag"));
    assert_ne!(after.json()["updated_at"], before.json()["updated_at"]);
    assert_eq!(after.json()["unique_order_references"], before.json()["unique_order_references"]);
}

#[tokio::test]
async fn a_stale_change_is_refused() {
    let world = World::new().await;
    world.put("/branding", json!({"name": "One"})).await;
    for method in ["PUT", "DELETE"] {
        let request = world.request(method, "/branding").header("if-match", "\"1\"");
        let stale = match method {
            "PUT" => request.json(json!({"name": "Two"})).send().await,
            _ => request.send().await,
        };
        assert_eq!(refusal(&stale), (412, "precondition_failed".to_owned()));
    }
    assert_eq!(world.get("/branding").await.json()["name"], "One");
}

#[tokio::test]
async fn hostile_logos_are_refused_and_nothing_is_kept() {
    let world = World::new().await;
    let encode = |file: &[u8]| STANDARD.encode(file);
    let bomb = png(4_000, 4_000, &[0; 4_001 * 4_000]);
    let too_wide = png(4_097, 1, &[0; 4_098]);
    let lying = png(1_000, 1_000, &[0; 10]);
    let whole = png(16, 16, &[0; 17 * 16]);
    let cut = &whole[..whole.len() - 20];
    let huge = png(u32::MAX, u32::MAX, &[0]);
    for file in [&bomb[..], &too_wide, &lying, cut, &huge, b"GIF89a;", b"\x89PNG\r\n\x1a\n", b"<svg></svg>"] {
        let reply = world.put("/branding", json!({"logo": encode(file)})).await;
        assert_eq!(refusal(&reply), (422, "logo_invalid".to_owned()), "{reply}");
        assert_eq!(reply.issues()[0].1, "/logo", "{reply}");
    }
    // The text itself is wrong.
    let long = "A".repeat(400_000);
    for text in ["", "AAA", "%%%%", "AA AA", "data:image/png;base64,AAAA", &long] {
        let reply = world.put("/branding", json!({"logo": text})).await;
        assert_eq!(refusal(&reply), (422, "validation_failed".to_owned()), "{reply}");
    }
    let odd = world.put("/branding", json!({"logo": "AAAAA"})).await;
    assert_eq!(refusal(&odd), (422, "logo_invalid".to_owned()), "{odd}");
    assert_eq!(world.get("/branding").await.json(), nothing());
}

#[tokio::test]
async fn each_world_has_its_own_branding() {
    let world = World::new().await;
    world.put("/branding", json!({"name": "Live"})).await;
    for (organisation, mode) in [("Acme", Mode::Test), ("Rival", Mode::Live)] {
        let token = world.token_for(organisation, "*", mode).await;
        let read = world.request("GET", "/branding").token(&token).send().await;
        assert_eq!(read.json(), nothing(), "{organisation}");
    }
}
