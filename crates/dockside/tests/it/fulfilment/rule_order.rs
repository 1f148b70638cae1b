//! The order of shipping rules: positions, the list, and moving rules.

use std::sync::Arc;

use serde_json::{Value, json};

use super::shipping_rules::{create, hold, names, text};
use crate::setup::stock_requests::refusal;
use crate::setup::world::World;

async fn ids(world: &World) -> Vec<String> {
    world.get("/shipping_rules?limit=100").await.ids()
}

#[tokio::test]
async fn a_rule_takes_the_position_that_it_is_given() {
    let world = World::new().await;
    for name in ["b", "d"] {
        create(&world, hold(name)).await;
    }
    let at = async |name: &str, position: i64| {
        let mut body = hold(name);
        body["position"] = json!(position);
        create(&world, body).await
    };
    assert_eq!(at("a", 1).await["position"], 1);
    assert_eq!(at("c", 3).await["position"], 3);
    assert_eq!(at("e", 1000).await["position"], 5, "a position after the last is the last");
    assert_eq!(names(&world).await, ["a", "b", "c", "d", "e"]);
    let all = ids(&world).await;
    let moved = async |rule: usize, position: i64| {
        let reply =
            world.patch(format!("/shipping_rules/{}", all[rule]), json!({"position": position})).await;
        assert_eq!(reply.status, 200, "{reply}");
        names(&world).await.concat()
    };
    assert_eq!(moved(0, 3).await, "bcade");
    assert_eq!(moved(4, 1).await, "ebcad");
    assert_eq!(moved(4, 1).await, "ebcad", "where it is already");
    assert_eq!(moved(1, 1000).await, "ecadb");
    assert_eq!(world.delete(format!("/shipping_rules/{}", all[2])).await.status, 204);
    assert_eq!(names(&world).await.concat(), "eadb");
    for position in [json!(0), json!(-1), json!(1001), json!("first")] {
        let refused = world.patch(format!("/shipping_rules/{}", all[0]), json!({"position": position})).await;
        assert_eq!(
            (refused.status.as_u16(), refused.issues()[0].1.as_str()),
            (422, "/position"),
            "{refused}"
        );
    }
}

#[tokio::test]
async fn all_rules_are_reordered_at_once() {
    let world = World::new().await;
    for name in ["a", "b", "c"] {
        create(&world, hold(name)).await;
    }
    let before = ids(&world).await;
    let order = vec![&before[2], &before[1], &before[0]];
    let events = world.events().await.len();
    let reply = world.put("/shipping_rules/order", json!({"ids": order})).await;
    assert_eq!((reply.status.as_u16(), reply.json()), (200, json!({"ids": order})), "{reply}");
    assert_eq!(names(&world).await, ["c", "b", "a"]);
    world.relay().await;
    let told = world.events().await.split_off(events);
    let told: Vec<_> =
        told.iter().map(|event| (event.r#type.as_str(), event.previous_attributes.clone())).collect();
    assert_eq!(told.len(), 2, "the rule in the middle stays where it is");
    assert!(told.iter().all(|(kind, _)| *kind == "shipping_rule.updated"));
    assert!(told[0].1.as_deref().is_some_and(|previous| previous.contains(r#""position":3"#)), "{told:?}");

    let unknown = "rule_01jc0000000000000000000000";
    let wrong = |ids: Value| json!({"ids": ids});
    let refused = world.put("/shipping_rules/order", wrong(json!([before[0], before[0], unknown]))).await;
    insta::assert_snapshot!(refused, @r##"422 {"type":"/docs/errors#shipping_rule_order_invalid","title":"The list does not name every shipping rule exactly once.","status":422,"detail":"The problem's `errors` name the rules that are missing, named twice or unknown. Read the rules again, and send all of their ids.","code":"shipping_rule_order_invalid","request_id":"test","errors":[{"type":"validation_error","code":"duplicate","source":"request","message":"The list names this rule twice.","field":"/ids/1"},{"type":"validation_error","code":"not_found","source":"request","message":"There is no such shipping rule.","field":"/ids/2"},{"type":"validation_error","code":"missing","source":"request","message":"The list lacks the rule rule_#2.","field":"/ids"},{"type":"validation_error","code":"missing","source":"request","message":"The list lacks the rule rule_#3.","field":"/ids"}]}"##);
    for body in [wrong(json!([])), wrong(json!([before[0], before[1]]))] {
        let refused = world.put("/shipping_rules/order", body).await;
        assert_eq!(refusal(&refused), (422, "shipping_rule_order_invalid".to_owned()));
        assert!(refused.issues().iter().all(|(code, field)| code == "missing" && field == "/ids"));
    }
    for body in [json!({}), json!({"ids": "all"}), json!({"ids": ["loc_01jc0000000000000000000000"]})] {
        assert_eq!(
            refusal(&world.put("/shipping_rules/order", body).await),
            (422, "validation_failed".to_owned())
        );
    }
    assert_eq!(names(&world).await, ["c", "b", "a"]);
}

#[tokio::test]
async fn the_list_is_walked_in_the_order_of_positions() {
    let world = World::new().await;
    for number in 0..7 {
        let mut body = hold(&number.to_string());
        body["position"] = json!(1);
        create(&world, body).await;
    }
    let mut page = world.get("/shipping_rules?limit=3").await.json();
    assert_eq!(page["previous_cursor"], Value::Null);
    let mut seen = Vec::new();
    loop {
        seen.extend(page["data"].as_array().unwrap().iter().map(|rule| text(&rule["name"])));
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        page = world.get(format!("/shipping_rules?limit=3&cursor={cursor}")).await.json();
    }
    assert_eq!(seen.concat(), "6543210");
    let back = page["previous_cursor"].as_str().unwrap();
    let before = world.get(format!("/shipping_rules?limit=3&cursor={back}")).await.json();
    let before: Vec<_> = before["data"].as_array().unwrap().iter().map(|rule| text(&rule["name"])).collect();
    assert_eq!(before.concat(), "321");
}

#[tokio::test(flavor = "multi_thread")]
async fn positions_stay_unique_while_rules_come_go_and_move() {
    let world = Arc::new(World::new().await);
    for name in ["a", "b", "c", "d"] {
        create(&world, hold(name)).await;
    }
    let all = ids(&world).await;
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..24_usize {
        let (world, all) = (world.clone(), all.clone());
        tasks.spawn(async move {
            match number % 4 {
                0 | 1 => {
                    let mut body = hold(&format!("new {number}"));
                    body["position"] = json!(1 + number % 3);
                    assert_eq!(world.post("/shipping_rules", body).await.status, 201);
                }
                2 => {
                    let path = format!("/shipping_rules/{}", all[number % 3]);
                    assert_eq!(world.patch(path, json!({"position": 1 + number % 5})).await.status, 200);
                }
                _ => {
                    // Others may create a rule between the read and the write: then the list lacks it.
                    let mut now = ids(&world).await;
                    now.reverse();
                    let reply = world.put("/shipping_rules/order", json!({"ids": now})).await;
                    assert!(reply.status == 200 || reply.code() == "shipping_rule_order_invalid", "{reply}");
                }
            }
        });
    }
    tasks.join_all().await;
    assert_eq!(names(&world).await.len(), 16);
    assert_eq!(world.delete(format!("/shipping_rules/{}", all[3])).await.status, 204);
    assert_eq!(names(&world).await.len(), 15);
}
