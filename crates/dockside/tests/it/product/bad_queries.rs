//! Hostile query strings: limits that are no numbers, cursors that were tampered with, parameters that don't exist.

use bytes::Bytes;
use http_body_util::Full;

use crate::product::bad_input::{Refusal, Target, refused};

const LISTS: [&str; 5] =
    ["/locations", "/location_configurations", "/access_tokens", "/events", "/webhook_endpoints"];

async fn refuses(target: &Target, list: &str, query: &str, expected: Refusal) {
    let request = target.request("GET", &format!("{list}?{query}")).body(Full::<Bytes>::default());
    target.refuses(request.unwrap(), expected, query).await;
}

#[tokio::test]
async fn limits_that_are_no_counts_are_refused() {
    let target = Target::new().await;
    let zeros = "0".repeat(30);
    for list in LISTS {
        for limit in
            ["0", "-1", "abc", "1.5", "", "1e2", "0x10", "+1", "%201", "1%00", "-0", "NaN", &zeros, "%D9%A1"]
        {
            let expected = refused(400, "invalid_limit").at("invalid_limit", "limit");
            refuses(&target, list, &format!("limit={limit}"), expected).await;
        }
    }
    target.is_unharmed().await;
}

#[tokio::test]
async fn limits_beyond_the_largest_are_clamped() {
    let target = Target::new().await;
    target.world.provision().await;
    let digits = "9".repeat(1000);
    for list in LISTS {
        for limit in ["101", "4294967296", "18446744073709551615", "18446744073709551616", &digits] {
            let reply = target.world.get(format!("{list}?limit={limit}")).await;
            assert_eq!(
                (reply.status.as_u16(), reply.json()["limit"].as_u64()),
                (200, Some(100)),
                "{limit:.30}"
            );
        }
    }
}

#[tokio::test]
async fn parameters_that_do_not_exist_are_refused() {
    let target = Target::new().await;
    for list in LISTS {
        let unknown = [
            ("nope=1", "nope"),
            ("Limit=1", "Limit"),
            ("limit=1&%6eope=", "nope"),
            ("limit%00=1", "limit\0"),
            ("limit[]=1", "limit[]"),
            ("cursor[]=x", "cursor[]"),
            ("=1", ""),
            ("limit=1&limit=1", "limit"),
            ("cursor=a&cursor=b", "cursor"),
            ("limit=1&l%69mit=2", "limit"),
            ("limit=%zz", "query"),
            ("limit=%", "query"),
            ("limit=%f", "query"),
            ("limit=%ff", "query"),
            ("%c3%28=1", "query"),
        ];
        for (query, field) in unknown {
            let expected = refused(400, "invalid_query").at("invalid_query", field);
            refuses(&target, list, query, expected).await;
        }
    }
    let many: Vec<String> = (0..51).map(|number| format!("t{number}")).collect();
    let many = format!("tags={}", many.join(","));
    for query in [&many, "tags=%00", "tags=ok,%00", "tags=Not-a-tag", "tags[]=a%20b", "tags=%F0%9F%8F%B7"] {
        let expected = refused(400, "invalid_query").at("invalid_query", "tags");
        refuses(&target, "/locations", query, expected).await;
    }
    for query in ["include_fields=name", "include_fields=address,%00", "include_fields[]=ADDRESS"] {
        let expected = refused(400, "invalid_query").at("invalid_query", "include_fields");
        refuses(&target, "/location_configurations", query, expected).await;
    }
    let path = target.location.clone();
    let expected = refused(400, "invalid_query").at("invalid_query", "limit");
    refuses(&target, &path, "limit=1", expected).await;
    target.is_unharmed().await;
}

#[tokio::test]
async fn altered_cursors_are_refused() {
    const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let target = Target::new().await;
    let page = target.world.get("/locations?limit=1").await.json();
    let cursor = page["next_cursor"].as_str().expect("there are several").to_owned();
    let is_read = target.world.get(format!("/locations?cursor={cursor}")).await;
    assert_eq!(is_read.status, 200, "{is_read}");
    let place = |place: usize| cursor[place..].chars().next().unwrap();
    for at in 0..cursor.len() {
        for letter in ALPHABET.chars().filter(|letter| *letter != place(at)) {
            let altered = format!("{}{letter}{}", &cursor[..at], &cursor[at + 1..]);
            refuses(&target, "/locations", &format!("cursor={altered}"), refused(400, "invalid_cursor"))
                .await;
        }
    }
    let others = [
        cursor[1..].to_owned(),
        cursor[..cursor.len() - 1].to_owned(),
        format!("{cursor}A"),
        format!("{cursor}=="),
        format!("{cursor}&tags=first"),
        format!("{cursor}%00"),
        cursor.repeat(2),
        "%F0%9F%8F%B7".to_owned(),
        "loc_00000000000000000000000001".to_owned(),
    ];
    for other in others {
        refuses(&target, "/locations", &format!("cursor={other}"), refused(400, "invalid_cursor")).await;
    }
    for list in ["/location_configurations", "/access_tokens"] {
        refuses(&target, list, &format!("cursor={cursor}"), refused(400, "invalid_cursor")).await;
    }
    target.is_unharmed().await;
}

#[tokio::test]
async fn token_requests_that_make_no_sense_are_refused() {
    let target = Target::new().await;
    let grant = "grant_type=client_credentials";
    let cases = [
        ("", 400, "invalid_request"),
        ("%zz", 400, "invalid_request"),
        ("grant_type=password", 400, "unsupported_grant_type"),
        ("grant_type=client_credentials%00", 400, "unsupported_grant_type"),
        (grant, 401, "invalid_client"),
        ("grant_type=client_credentials&client_id=%00&client_secret=%00", 401, "invalid_client"),
        ("grant_type=client_credentials&client_id=tok_x&client_secret=dk_live_x", 401, "invalid_client"),
    ];
    for (form, status, code) in cases {
        let request = target.request("POST", "/oauth/token").body(Full::new(Bytes::from(form)));
        let mut request = request.unwrap();
        request.headers_mut().insert("content-type", "application/x-www-form-urlencoded".parse().unwrap());
        request.headers_mut().remove("authorization");
        target.refuses(request, refused(status, code), form).await;
    }
    target.is_unharmed().await;
}
