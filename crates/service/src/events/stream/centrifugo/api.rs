//! Centrifugo's server API: the requests, and the meaning of its answers. Pure.

use serde::Deserialize;
use serde_json::json;

/// Limits of one request: the channels of a command, the bytes of all commands, and their number.
const CHANNELS_MAX: usize = 1000;
const BODY_BYTES_MAX: usize = 1 << 20;
const COMMANDS_MAX: usize = 100;
/// "Internal server error": the only error after which a repetition may succeed.
const INTERNAL: u32 = 100;

/// The result of a request.
#[derive(PartialEq, Eq, Debug)]
pub enum Outcome {
    Done,
    /// Done, except for commands that were refused for good: the messages of their errors.
    Partly(Vec<String>),
    /// The same may succeed later.
    Later(String),
}

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    replies: Vec<Reply>,
    error: Option<Refusal>,
}

#[derive(Deserialize)]
struct Reply {
    error: Option<Refusal>,
    broadcast: Option<Broadcast>,
}

#[derive(Deserialize)]
struct Broadcast {
    #[serde(default)]
    responses: Vec<Reply>,
}

#[derive(Deserialize)]
struct Refusal {
    code: u32,
    message: String,
}

/// Returns the commands that send an event to channels. The key makes a repetition harmless.
pub fn broadcast(channels: &[String], data: &str, key: &str) -> Vec<String> {
    let some = channels.chunks(CHANNELS_MAX).enumerate();
    some.map(|(place, channels)| {
        let channels = json!(channels);
        let key = if place == 0 { json!(key) } else { json!(format!("{key}-{place}")) };
        format!(r#"{{"broadcast":{{"channels":{channels},"data":{data},"idempotency_key":{key}}}}}"#)
    })
    .collect()
}

/// Returns the command that closes a user's connections.
pub fn disconnect(user: &str, code: u16, reason: &str) -> String {
    json!({"disconnect": {"user": user, "disconnect": {"code": code, "reason": reason}}}).to_string()
}

/// Returns the bodies of the requests that carry the commands, in order.
pub fn bodies(commands: Vec<String>) -> Vec<String> {
    let mut bodies = Vec::new();
    let (mut some, mut bytes): (Vec<String>, usize) = (Vec::new(), 0);
    for command in commands {
        if !some.is_empty() && (bytes + command.len() > BODY_BYTES_MAX || some.len() >= COMMANDS_MAX) {
            bodies.push(body(&some));
            (some, bytes) = (Vec::new(), 0);
        }
        bytes += command.len();
        some.push(command);
    }
    if !some.is_empty() {
        bodies.push(body(&some));
    }
    bodies
}

fn body(commands: &[String]) -> String {
    format!(r#"{{"commands":[{}],"parallel":false}}"#, commands.join(","))
}

/// Returns what an answer means. Commands are executed in order, and repeating them is harmless; so after any temporary error
/// the whole request is repeated.
pub fn outcome(status: u16, body: &[u8]) -> Outcome {
    if status != 200 {
        return Outcome::Later(format!("Centrifugo answered {status}"));
    }
    let Ok(answer) = serde_json::from_slice::<Answer>(body) else {
        return Outcome::Later("Centrifugo's answer is not of its API".to_owned());
    };
    let in_replies = answer.replies.into_iter().flat_map(|reply| {
        let nested = reply.broadcast.into_iter().flat_map(|broadcast| broadcast.responses);
        reply.error.into_iter().chain(nested.filter_map(|response| response.error))
    });
    let refusals: Vec<Refusal> = answer.error.into_iter().chain(in_replies).collect();
    if let Some(refusal) = refusals.iter().find(|refusal| refusal.code == INTERNAL) {
        return Outcome::Later(format!("Centrifugo: {}", refusal.message));
    }
    if refusals.is_empty() {
        return Outcome::Done;
    }
    Outcome::Partly(refusals.iter().map(|refusal| format!("{} {}", refusal.code, refusal.message)).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn read(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn an_event_goes_to_a_thousand_channels_at_a_time() {
        let channels: Vec<String> = (0..2500).map(|number| format!("orders:org_1#usr_{number}")).collect();
        let commands = broadcast(&channels, r#"{"a":"\"x\""}"#, "evt_1");
        let read: Vec<Value> = commands.iter().map(|command| read(command)).collect();
        let sizes: Vec<usize> =
            read.iter().map(|command| command["broadcast"]["channels"].as_array().unwrap().len()).collect();
        assert_eq!(sizes, [1000, 1000, 500]);
        assert_eq!(read[0]["broadcast"]["idempotency_key"], "evt_1");
        assert_eq!(read[2]["broadcast"]["idempotency_key"], "evt_1-2");
        assert_eq!(read[1]["broadcast"]["data"]["a"], "\"x\"");
    }

    #[test]
    fn answers_are_understood() {
        assert_eq!(
            outcome(200, br#"{"replies":[{"broadcast":{"responses":[{"result":{}}]}}]}"#),
            Outcome::Done
        );
        let partly = outcome(
            200,
            br#"{"replies":[{"broadcast":{"responses":[{"error":{"code":102,"message":"unknown channel"}},{"result":{}}]}}]}"#,
        );
        assert_eq!(partly, Outcome::Partly(vec!["102 unknown channel".to_owned()]));
        for (status, body) in [
            (200, r#"{"replies":[{"error":{"code":100,"message":"internal server error"}}]}"#),
            (200, "<html>"),
            (401, "{}"),
            (503, ""),
        ] {
            assert!(matches!(outcome(status, body.as_bytes()), Outcome::Later(_)), "{status} {body}");
        }
    }

    proptest! {
        #[test]
        fn bodies_are_json_within_their_limits_and_lose_nothing(sizes in prop::collection::vec(1usize..400_000, 0..40)) {
            let commands: Vec<String> =
                sizes.iter().enumerate().map(|(place, size)| format!(r#"{{"n":{place},"x":"{}"}}"#, "x".repeat(*size))).collect();
            let bodies = bodies(commands);
            let mut numbers = Vec::new();
            for body in &bodies {
                let commands = read(body)["commands"].as_array().unwrap().clone();
                prop_assert!(commands.len() == 1 || body.len() < BODY_BYTES_MAX + 4096);
                numbers.extend(commands.iter().map(|command| command["n"].as_u64().unwrap()));
            }
            prop_assert_eq!(numbers, (0..sizes.len() as u64).collect::<Vec<_>>());
        }

        #[test]
        fn any_answer_is_understood(status in 100u16..600, body: Vec<u8>) {
            let _ = outcome(status, &body);
        }
    }
}
