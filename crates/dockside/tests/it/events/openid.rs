//! Signing in with OpenID Connect, at a provider that answers as it should and at one that does not.

use api::Limits;
use serde_json::{Value, json};
use service::events::openid::Settings;

use crate::setup::identity_provider::{IdentityProvider, Signing, query_of};
use crate::setup::person::{COOKIE, Person, address, invite};
use crate::setup::stock_requests::refusal;
use crate::setup::world::{Reply, World};

const ATTEMPT: &str = "__Host-dockside_oidc";

fn ada() -> Value {
    json!({"sub": "ada-1", "email": address("Ada"), "email_verified": true, "name": "Ada"})
}

fn with(field: &str, value: Value) -> Value {
    let mut claims = ada();
    claims[field] = value;
    claims
}

/// A browser that was sent to the provider.
struct Visit {
    url: String,
    cookie: String,
}

impl Visit {
    async fn start(world: &World, path: &str) -> Self {
        let reply = world.request("GET", path).anonymous().send().await;
        assert_eq!(reply.status, 303, "{reply}");
        let set = reply.header("set-cookie");
        let (pair, rest) = set.split_once(';').unwrap_or_else(|| panic!("no cookie: {:?}", reply.headers));
        assert_eq!(rest, " Path=/; Max-Age=600; HttpOnly; SameSite=Lax; Secure");
        let cookie = pair.strip_prefix(&format!("{ATTEMPT}=")).expect("its name").to_owned();
        Self { url: reply.header("location").to_owned(), cookie }
    }

    fn state(&self) -> String {
        query_of(&self.url)["state"].clone()
    }

    /// Comes back with this query.
    async fn back(&self, world: &World, query: &str) -> Reply {
        let request = world.request("GET", &format!("/oidc/callback?{query}")).anonymous();
        let reply = request.header("cookie", &format!("a=b; {ATTEMPT}={}", self.cookie)).send().await;
        assert_eq!(reply.status, 303, "{reply}");
        reply
    }

    /// Lets the person sign in at the provider, and comes back with the code.
    async fn finish(&self, world: &World, provider: &IdentityProvider, claims: Value) -> Reply {
        let code = provider.authorise(world, &self.url, claims);
        self.back(world, &format!("code={}&state={}&session_state=x", encoded(&code), self.state())).await
    }
}

fn encoded(text: &str) -> String {
    model::access::openid::provider::encode(text)
}

async fn sign_in(world: &World, provider: &IdentityProvider, claims: Value) -> Reply {
    Visit::start(world, "/oidc/start").await.finish(world, provider, claims).await
}

/// Returns the secret of the session that an answer begins.
fn session(reply: &Reply) -> Option<String> {
    let set = reply.headers.get_all("set-cookie").iter().map(|value| value.to_str().unwrap());
    set.filter_map(|set| set.strip_prefix(&format!("{COOKIE}="))?.split(';').next()).next().map(str::to_owned)
}

/// Returns the code with which the sign-in page explains a refusal. There is no session.
fn problem(reply: &Reply) -> String {
    assert_eq!(session(reply), None, "{:?}", reply.headers);
    let location = reply.header("location");
    assert!(location.starts_with("/console/sign-in?"), "{location}");
    query_of(location)["problem"].clone()
}

async fn me(world: &World, reply: &Reply) -> Value {
    let cookie = session(reply).unwrap_or_else(|| panic!("no session: {:?}", reply.headers));
    let person = Person { id: String::new(), cookie, session: String::new() };
    person.get(world, "/me").await.json()
}

async fn user_count(world: &World) -> usize {
    world.get("/users?limit=100").await.ids().len()
}

#[tokio::test]
async fn an_invited_person_signs_in_and_stays_the_same_user() {
    let provider = IdentityProvider::new().await;
    let world = provider.world(|_| {}).await;
    let invited = invite(&world, "Ada", &["packer"]).await;
    let visit = Visit::start(&world, "/oidc/start?next=/console/orders%3Fq=a%2520b").await;
    let asked = query_of(&visit.url);
    assert!(visit.url.starts_with(&format!("{}/authorise?tenant=acme&", provider.url)), "{}", visit.url);
    for (name, value) in [
        ("response_type", "code"),
        ("client_id", "dockside"),
        ("redirect_uri", "https://dockside.example.com/oidc/callback"),
        ("scope", "openid email profile"),
        ("code_challenge_method", "S256"),
    ] {
        assert_eq!(asked[name], value, "{name}");
    }
    for secret in ["state", "nonce", "code_challenge"] {
        assert_eq!(asked[secret].len(), 43, "{secret}");
    }
    let reply = visit.finish(&world, &provider, ada()).await;
    assert_eq!(reply.header("location"), "/console/orders?q=a%20b");
    assert_eq!(reply.header("referrer-policy"), "no-referrer");
    let forgets = format!("{ATTEMPT}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure");
    assert!(reply.headers.get_all("set-cookie").iter().any(|set| *set == *forgets), "{:?}", reply.headers);
    let seen = me(&world, &reply).await;
    assert_eq!((&seen["user"]["id"], &seen["roles"]), (&invited["id"], &json!(["packer"])));
    assert_eq!(seen["session"]["began_with"], "openid_connect");

    // The subject counts from now on, whatever its address is. Another subject with the address does not become Ada.
    let moved = with("email", json!("ada@elsewhere.example"));
    assert_eq!(me(&world, &sign_in(&world, &provider, moved).await).await["user"]["id"], invited["id"]);
    let other = with("sub", json!("eve-1"));
    assert_eq!(problem(&sign_in(&world, &provider, other).await), "oidc_other_identity");
    // Disabling the user ends the session, and no other begins.
    let id = invited["id"].as_str().unwrap();
    assert_eq!(world.post(format!("/users/{id}/disable"), json!({})).await.status, 200);
    assert_eq!(me(&world, &reply).await["code"], "unauthenticated");
    assert_eq!(problem(&sign_in(&world, &provider, ada()).await), "oidc_disabled");
    // A deleted user leaves nothing behind: the next user who is invited with the address is linked anew.
    assert_eq!(world.delete(format!("/users/{id}")).await.status, 204);
    assert_eq!(problem(&sign_in(&world, &provider, ada()).await), "oidc_not_invited");
    let again = invite(&world, "Ada", &["viewer"]).await;
    assert_eq!(me(&world, &sign_in(&world, &provider, ada()).await).await["user"]["id"], again["id"]);
}

#[tokio::test]
async fn each_algorithm_signs_a_person_in() {
    let provider = IdentityProvider::new().await;
    let world = provider.world(|_| {}).await;
    invite(&world, "Ada", &["viewer"]).await;
    for signing in [Signing::EdDsa, Signing::Es256, Signing::Rs256] {
        provider.set(|behaviour| behaviour.signing = signing);
        assert_eq!(me(&world, &sign_in(&world, &provider, ada()).await).await["user"]["name"], "Ada");
    }
    // The document and the keys are remembered for an hour.
    assert_eq!((provider.count("/.well-known/openid-configuration"), provider.count("/keys")), (1, 1));
    world.advance_seconds(3600);
    assert!(session(&sign_in(&world, &provider, ada()).await).is_some());
    assert_eq!((provider.count("/.well-known/openid-configuration"), provider.count("/keys")), (2, 2));
    // While the provider's document can't be read, the older one is used.
    world.advance_seconds(3600);
    let visit = Visit::start(&world, "/oidc/start").await;
    provider.set(|behaviour| behaviour.document = json!({"issuer": "https://evil.example"}));
    world.advance_seconds(3600);
    let again = Visit::start(&world, "/oidc/start").await;
    assert_eq!(visit.url.split('?').next(), again.url.split('?').next());
}

#[tokio::test]
async fn a_false_token_is_refused_and_begins_no_session() {
    let provider = IdentityProvider::new().await;
    let world = provider.world(|_| {}).await;
    invite(&world, "Ada", &["admin"]).await;
    let now = world.service.context.now().as_seconds();
    for (claims, expected) in [
        (with("nonce", json!("another")), "oidc_token_nonce"),
        (with("nonce", Value::Null), "oidc_token_nonce"),
        (with("aud", json!("another")), "oidc_token_audience"),
        (with("aud", json!(["dockside", "another"])), "oidc_token_audience"),
        (with("azp", json!("another")), "oidc_token_audience"),
        (with("iss", json!("https://evil.example")), "oidc_token_issuer"),
        (with("exp", json!(now - 60)), "oidc_token_expired"),
        (with("iat", json!(now + 600)), "oidc_token_issued_at"),
        (with("nbf", json!(now + 600)), "oidc_token_not_yet_valid"),
        (with("sub", Value::Null), "oidc_token_subject"),
        (with("email_verified", json!(false)), "oidc_email_unverified"),
        (with("email_verified", Value::Null), "oidc_email_unverified"),
        (with("email", json!("eve@acme.example")), "oidc_not_invited"),
    ] {
        assert_eq!(problem(&sign_in(&world, &provider, claims.clone()).await), expected, "{claims}");
    }
    for (signing, expected) in
        [(Signing::None, "oidc_token_algorithm"), (Signing::Hs256, "oidc_token_algorithm")]
    {
        provider.set(|behaviour| behaviour.signing = signing);
        assert_eq!(problem(&sign_in(&world, &provider, ada()).await), expected);
    }
    assert_eq!(user_count(&world).await, 2, "the token's own user and Ada");
    provider.set(|behaviour| behaviour.signing = Signing::EdDsa);
    assert!(session(&sign_in(&world, &provider, ada()).await).is_some());
}

#[tokio::test]
async fn new_keys_are_fetched_once_a_minute_at_most() {
    let provider = IdentityProvider::new().await;
    let world = provider.world(|_| {}).await;
    invite(&world, "Ada", &["viewer"]).await;
    assert!(session(&sign_in(&world, &provider, ada()).await).is_some());
    provider.set(|behaviour| (behaviour.seed, behaviour.key_id) = (2, "two"));
    for _ in 0..3 {
        assert_eq!(problem(&sign_in(&world, &provider, ada()).await), "oidc_token_key");
    }
    assert_eq!(provider.count("/keys"), 1, "strangers can't make the server ask");
    world.advance_seconds(60);
    assert!(session(&sign_in(&world, &provider, ada()).await).is_some());
    assert_eq!(provider.count("/keys"), 2);
    // A key of another provider under the provider's name.
    provider.set(|behaviour| behaviour.seed = 3);
    assert_eq!(problem(&sign_in(&world, &provider, ada()).await), "oidc_token_signature");
}

#[tokio::test]
async fn an_answer_belongs_to_the_browser_that_began_and_works_once() {
    let provider = IdentityProvider::new().await;
    let world = provider.world(|_| {}).await;
    invite(&world, "Ada", &["viewer"]).await;
    let (mine, theirs) =
        (Visit::start(&world, "/oidc/start").await, Visit::start(&world, "/oidc/start").await);
    let code = provider.authorise(&world, &theirs.url, ada());
    let answer = format!("code={}&state={}", encoded(&code), theirs.state());
    // The answer of another browser, a wrong state, and none.
    for query in [answer.as_str(), &format!("code={}&state=x", encoded(&code)), "code=x", ""] {
        assert_eq!(problem(&mine.back(&world, query).await), "oidc_state", "{query}");
    }
    let twice = format!("{answer}&state={}", theirs.state());
    assert_eq!(problem(&theirs.back(&world, &twice).await), "oidc_state");
    for cookie in ["", "nonsense", &theirs.cookie[1..]] {
        let stranger = Visit { url: theirs.url.clone(), cookie: cookie.to_owned() };
        assert_eq!(problem(&stranger.back(&world, &answer).await), "oidc_state");
    }
    let none = world.request("GET", &format!("/oidc/callback?{answer}")).anonymous().send().await;
    assert_eq!(problem(&none), "oidc_state");
    assert_eq!(provider.count("/token"), 0, "no code was tried");

    // My code in their browser: the provider sees that the verifier is another.
    let stolen = provider.authorise(&world, &mine.url, ada());
    let injected = format!("code={}&state={}", encoded(&stolen), theirs.state());
    assert_eq!(problem(&theirs.back(&world, &injected).await), "oidc_code");
    assert_eq!(problem(&theirs.back(&world, &answer).await), "oidc_state", "the attempt was used");
    let visit = Visit::start(&world, "/oidc/start").await;
    let code = provider.authorise(&world, &visit.url, ada());
    let answer = format!("code={}&state={}", encoded(&code), visit.state());
    assert!(session(&visit.back(&world, &answer).await).is_some());
    assert_eq!(problem(&visit.back(&world, &answer).await), "oidc_state", "the answer was used");
    let late = Visit::start(&world, "/oidc/start").await;
    let replayed = format!("code={}&state={}", encoded(&code), late.state());
    assert_eq!(problem(&late.back(&world, &replayed).await), "oidc_code", "the code was used");
    let late = Visit::start(&world, "/oidc/start").await;
    world.advance_seconds(600);
    assert_eq!(problem(&late.finish(&world, &provider, ada()).await), "oidc_expired");
}

#[tokio::test]
async fn what_the_provider_reports_is_explained() {
    let provider = IdentityProvider::new().await;
    let world = provider.world(|_| {}).await;
    let back = async |query: &str| {
        let visit = Visit::start(&world, "/oidc/start?next=/console/stock").await;
        let reply = visit.back(&world, &format!("state={}&{query}", visit.state())).await;
        assert_eq!(query_of(reply.header("location"))["next"], "/console/stock");
        problem(&reply)
    };
    assert_eq!(back("error=access_denied").await, "oidc_cancelled");
    assert_eq!(back("error=server_error&error_description=x").await, "oidc_provider");
    assert_eq!(back("").await, "oidc_provider");
    assert_eq!(back("code=x&iss=https://evil.example").await, "oidc_token_issuer");
    assert_eq!(back("code=nonsense").await, "oidc_code");
    provider.set(|behaviour| behaviour.status = Some(500));
    assert_eq!(back("code=nonsense").await, "oidc_unavailable");
    world.advance_seconds(24 * 3600);
    let down = world.request("GET", "/oidc/start?next=/console/stock").anonymous().send().await;
    assert_eq!((problem(&down), down.header("set-cookie")), ("oidc_unavailable".to_owned(), ""));
    let asked = provider.count("/.well-known/openid-configuration");
    let again = world.request("GET", "/oidc/start").anonymous().send().await;
    assert_eq!(problem(&again), "oidc_unavailable");
    assert_eq!(provider.count("/.well-known/openid-configuration"), asked, "not again within five seconds");
}

#[tokio::test]
async fn a_person_is_sent_to_pages_of_the_console_only() {
    let provider = IdentityProvider::new().await;
    let world = provider.world(|_| {}).await;
    invite(&world, "Ada", &["viewer"]).await;
    for next in [
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        "/console/../../evil",
        "/console//evil.example",
        "/consolation",
        "/console/%252e%252e/x",
        "/console%0d%0aset-cookie:a=b",
        "javascript:alert(1)",
    ] {
        let visit = Visit::start(&world, &format!("/oidc/start?next={}", encoded(next))).await;
        let reply = visit.finish(&world, &provider, ada()).await;
        assert_eq!(reply.header("location"), "/console", "{next}");
        let visit = Visit::start(&world, &format!("/oidc/start?next={}", encoded(next))).await;
        let refused = visit.back(&world, "state=x").await;
        assert_eq!(
            refused.header("location"),
            "/console/sign-in?problem=oidc_state&next=%2Fconsole",
            "{next}"
        );
    }
    let page = world.request("HEAD", "/oidc/start").anonymous().send().await;
    assert_eq!(page.status, 405, "a HEAD changes nothing");
}

#[tokio::test]
async fn roles_follow_the_claim_and_new_people_become_users_where_that_is_limited() {
    let provider = IdentityProvider::new().await;
    let mapped = |settings: &mut Settings| {
        settings.policy.role_claim = Some("realm.groups".to_owned());
        let roles = [
            ("pickers", "packer"),
            ("bosses", "admin"),
            ("desk", "Returns desk"),
            ("ghosts", "No such role"),
        ];
        settings.policy.roles = roles.map(|(value, role)| (value.to_owned(), role.to_owned())).into();
        settings.policy.creates_users = true;
    };
    let world = provider.world(mapped).await;
    let role = json!({"name": "Returns desk", "scopes": ["orders:read"]});
    let desk = world.post("/roles", role).await.json()["id"].clone();
    let groups = |groups: Value| with("realm", json!({"groups": groups}));
    let enter = async |claims: Value| sign_in(&world, &provider, claims).await;
    assert_eq!(problem(&enter(groups(json!(["guests"]))).await), "oidc_no_role");
    // A token without the claim makes the server ask where the provider tells of people, which has none either.
    provider.set(|behaviour| behaviour.user_info = ada());
    assert_eq!(problem(&enter(ada()).await), "oidc_no_role");
    assert_eq!(problem(&enter(groups(json!(["ghosts"]))).await), "oidc_no_role");
    assert_eq!(user_count(&world).await, 1);
    let first = enter(groups(json!(["pickers", "desk"]))).await;
    let seen = me(&world, &first).await;
    assert_eq!(
        (&seen["user"]["name"], &seen["user"]["email_address"]),
        (&json!("Ada"), &json!(address("Ada")))
    );
    assert_eq!(seen["roles"], json!(["packer", desk]));
    assert_eq!(world.newest_event("user.created").await["data"]["object"]["id"], seen["user"]["id"]);
    // The next sign-in takes a role away, in sessions that are open, too.
    let second = enter(groups(json!("desk"))).await;
    assert_eq!(me(&world, &second).await["roles"], json!([desk]));
    assert_eq!(me(&world, &first).await["roles"], json!([desk]));
    assert_eq!(world.newest_event("user.updated").await["data"]["object"]["roles"], json!([desk]));
    // The last administrator keeps the role.
    assert_eq!(me(&world, &enter(groups(json!(["bosses"]))).await).await["roles"], json!(["admin"]));
    assert_eq!(me(&world, &enter(groups(json!(["pickers"]))).await).await["roles"], json!(["admin"]));
}

#[tokio::test]
async fn a_domain_lets_its_people_in_and_others_out() {
    let provider = IdentityProvider::new().await;
    let limited = |settings: &mut Settings| {
        settings.policy.domains = vec!["acme.example".to_owned()];
        settings.policy.creates_users = true;
    };
    let world = provider.world(limited).await;
    let enter = async |claims: Value| sign_in(&world, &provider, claims).await;
    for other in ["ada@evil.example", "ada@mail.acme.example", "ada@acme.example.evil.example"] {
        assert_eq!(problem(&enter(with("email", json!(other))).await), "oidc_domain", "{other}");
    }
    assert_eq!(problem(&enter(with("email_verified", json!(false))).await), "oidc_email_unverified");
    assert_eq!(user_count(&world).await, 1);
    let seen = me(&world, &enter(ada()).await).await;
    assert_eq!(
        (&seen["user"]["email_address"], &seen["roles"]),
        (&json!(address("Ada")), &json!(["viewer"]))
    );
    // The provider may tell the address elsewhere: of the same person only.
    let told = json!({"sub": "bea-1", "email": "bea@acme.example", "email_verified": true, "name": "Bea"});
    provider.set(|behaviour| behaviour.user_info = told.clone());
    assert_eq!(me(&world, &enter(json!({"sub": "bea-1"})).await).await["user"]["name"], "Bea");
    assert_eq!(problem(&enter(json!({"sub": "cem-1"})).await), "oidc_token_subject");
}

#[tokio::test]
async fn the_operator_names_the_organisation_if_there_are_several() {
    let provider = IdentityProvider::new().await;
    let world = provider.world(|_| {}).await;
    invite(&world, "Ada", &["viewer"]).await;
    assert!(session(&sign_in(&world, &provider, ada()).await).is_some());
    world.token_for("Rival", "*", model::World::Live).await;
    assert_eq!(problem(&sign_in(&world, &provider, ada()).await), "oidc_not_configured");
    let nowhere = |settings: &mut Settings| settings.organisation = Some(model::Id::from_bits(7));
    let world = provider.world(nowhere).await;
    assert_eq!(problem(&sign_in(&world, &provider, ada()).await), "oidc_not_configured");
}

#[tokio::test]
async fn the_sign_in_page_offers_what_there_is() {
    let provider = IdentityProvider::new().await;
    let world = provider.world(|_| {}).await;
    let offered = world.request("GET", "/sign_in_methods").anonymous().send().await;
    insta::assert_snapshot!(
        offered,
        @r#"200 {"password":true,"password_reset":false,"passkey":true,"openid_connect":{"label":"Sign in with Acme","start_url":"/oidc/start"}}"#
    );
    let world = World::with(Limits::default(), |_| {}).await;
    let offered = world.request("GET", "/sign_in_methods").anonymous().send().await;
    insta::assert_snapshot!(offered, @r#"200 {"password":true,"password_reset":false,"passkey":true,"openid_connect":null}"#);
    let start = world.request("GET", "/oidc/start").anonymous().send().await;
    assert_eq!(problem(&start), "oidc_not_configured");
    let back = world.request("GET", "/oidc/callback?code=x&state=y").anonymous().send().await;
    assert_eq!(problem(&back), "oidc_not_configured");
    // A session that began there can't set a password without the old one, as one that began with a link can.
    let world = provider.world(|_| {}).await;
    invite(&world, "Ada", &["viewer"]).await;
    let cookie = session(&sign_in(&world, &provider, ada()).await).expect("a session");
    let person = Person { id: String::new(), cookie, session: String::new() };
    let body = json!({"new_password": "quiet harbour seven lanterns"});
    let set = person.send(&world, "PUT", "/me/password", Some(body)).await;
    assert_eq!(refusal(&set), (403, "current_password_wrong".to_owned()));
}
