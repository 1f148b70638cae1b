//! A person in a browser: signs in, keeps the cookie, and sends what a page of the console sends.

use http::Method;
use serde_json::{Value, json};

use crate::setup::world::{Call, Reply, World};

pub const COOKIE: &str = "__Host-dockside_session";
pub const PASSWORD: &str = "quiet harbour seven lanterns";

/// A person who has signed in.
pub struct Person {
    pub id: String,
    pub cookie: String,
    pub session: String,
}

impl Person {
    /// Invites a user with the world's own token, and signs in with the link.
    pub async fn invite(world: &World, name: &str, roles: &[&str]) -> Self {
        let made = invite(world, name, roles).await;
        let person = Self::by_link(world, &link_token(&made)).await;
        assert_eq!(person.id, made["id"]);
        person
    }

    /// Invites a user, who also sets a password.
    pub async fn with_password(world: &World, name: &str, roles: &[&str]) -> Self {
        let person = Self::invite(world, name, roles).await;
        let set = person.send(world, "PUT", "/me/password", Some(json!({"new_password": PASSWORD}))).await;
        assert_eq!(set.status, 204, "{set}");
        person
    }

    pub async fn by_link(world: &World, token: &str) -> Self {
        Self::from(&sign_in(world, json!({"link_token": token})).await)
    }

    /// Reads the answer to a sign-in.
    pub fn from(reply: &Reply) -> Self {
        assert_eq!(reply.status, 201, "{reply}");
        let text = |field: &str| reply.json()[field].as_str().expect("a text").to_owned();
        Self { id: text("user_id"), cookie: cookie_of(reply), session: text("id") }
    }

    /// Returns a request by cookie, with nothing else.
    pub fn bare<'a>(&self, world: &'a World, method: &str, path: &str) -> Call<'a> {
        world.request(method, path).anonymous().header("cookie", &format!("a=b; {COOKIE}={}", self.cookie))
    }

    /// Returns a request as a page of the console makes it.
    pub fn request<'a>(&self, world: &'a World, method: &str, path: &str) -> Call<'a> {
        let request = self.bare(world, method, path).header("dockside-world", "live");
        request.header("sec-fetch-site", "same-origin")
    }

    pub async fn send(&self, world: &World, method: &str, path: &str, body: Option<Value>) -> Reply {
        let request = self.request(world, method, path);
        match body {
            Some(body) => request.json(body).send().await,
            None => request.send().await,
        }
    }

    pub async fn get(&self, world: &World, path: &str) -> Reply {
        self.send(world, Method::GET.as_str(), path, None).await
    }
}

pub async fn sign_in(world: &World, body: Value) -> Reply {
    world.request("POST", "/sessions").anonymous().json(body).send().await
}

/// Invites a user with the world's own token, and returns the answer.
pub async fn invite(world: &World, name: &str, roles: &[&str]) -> Value {
    let body = json!({"name": name, "email_address": address(name), "roles": roles});
    let made = world.post("/users", body).await;
    assert_eq!(made.status, 201, "{made}");
    made.json()
}

pub fn address(name: &str) -> String {
    format!("{}@acme.example", name.to_lowercase())
}

/// Returns the token of the link in an answer.
pub fn link_token(answer: &Value) -> String {
    let link = answer["sign_in_link"].as_str().unwrap_or_else(|| panic!("no link in {answer}"));
    let (page, token) = link.split_once('#').expect("a token");
    assert_eq!(page, "https://dockside.example.com/console/sign-in");
    token.to_owned()
}

/// Returns the value of the session cookie that an answer sets.
pub fn cookie_of(reply: &Reply) -> String {
    let set = reply.header("set-cookie");
    let (pair, rest) = set.split_once(';').unwrap_or_else(|| panic!("no cookie: {reply}"));
    assert_eq!(rest, " Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure");
    pair.strip_prefix(&format!("{COOKIE}=")).expect("its name").to_owned()
}
