//! Who calls: a bearer token, or the session cookie of a browser.
//!
//! A browser sends the cookie with every request to the server, also with one that a page of another site makes. So a request
//! by cookie that may change something must prove that it comes from the server's own pages: by a header that other sites
//! can't set without being asked first, and by what the browser says of its origin.

use http::{HeaderMap, HeaderName, HeaderValue, Method, header, request};
use model::access::access_token::Secret;
use model::access::credential::CredentialKind;
use model::access::openid::ATTEMPT_SECONDS;
use model::access::passkey::CHALLENGE_SECONDS;
use model::access::session::SESSION_SECONDS;
use model::{Code, Error, Owner, Result, World};
use service::Caller;

use crate::access::call::bad_header;
use crate::access::route::Route;
use crate::access::state::ServerState;

/// Chooses the world of a request by cookie. A page of another site can't set it.
const WORLD: HeaderName = HeaderName::from_static("dockside-world");
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// Browsers take a cookie with this prefix only over TLS, for one host and all of its paths.
const SECURE_NAME: &str = "__Host-dockside_session";
/// Without TLS, browsers refuse the prefix.
const PLAIN_NAME: &str = "dockside_session";

/// What a cookie of an attempt to sign in is for. It binds the attempt to the browser that began it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attempt {
    /// At the identity provider.
    OpenId,
    Passkey,
}

impl Attempt {
    /// Returns the names of the cookie, with TLS and without.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Attempt::OpenId => ("__Host-dockside_oidc", "dockside_oidc"),
            Attempt::Passkey => ("__Host-dockside_passkey", "dockside_passkey"),
        }
    }

    fn name(self, state: &ServerState) -> &'static str {
        let (secure, plain) = self.names();
        if has_tls(state) { secure } else { plain }
    }

    fn seconds(self) -> i64 {
        match self {
            Attempt::OpenId => ATTEMPT_SECONDS,
            Attempt::Passkey => CHALLENGE_SECONDS,
        }
    }

    /// Returns the value of the cookie that a request has.
    pub fn cookie(self, headers: &HeaderMap, state: &ServerState) -> Option<String> {
        cookie(headers, self.name(state)).map(str::to_owned)
    }

    /// Returns the `Set-Cookie` of an attempt, or of none, which makes the browser forget it. The provider sends people back by
    /// a link, with which browsers send a cookie that is `Lax`.
    pub fn set_cookie(self, state: &ServerState, attempt: Option<&str>) -> Result<HeaderValue> {
        let seconds = attempt.map_or(0, |_| self.seconds());
        set(state, self.name(state), attempt.unwrap_or_default(), seconds)
    }
}

/// What a request authenticates with.
pub enum Credential<'a> {
    /// A token, and the owner that it names, if its checksum is right.
    Bearer(&'a str, Option<Owner>),
    Cookie(&'a str),
    Nothing,
}

impl<'a> Credential<'a> {
    /// Finds what the request authenticates with. If it has an `Authorization`, the cookie does not count.
    pub fn find(headers: &'a HeaderMap, state: &ServerState) -> Self {
        match headers.get(header::AUTHORIZATION) {
            Some(value) => bearer(value)
                .map_or(Credential::Nothing, |token| Credential::Bearer(token, Secret::owner_of(token))),
            None => cookie(headers, cookie_name(state)).map_or(Credential::Nothing, Credential::Cookie),
        }
    }

    /// Returns the owner that the credential claims to belong to, before it is checked.
    pub fn claimed_owner(&self) -> Option<Owner> {
        match self {
            Credential::Bearer(_, owner) => *owner,
            Credential::Cookie(cookie) => CredentialKind::Session.organisation_of(cookie).map(Owner::live),
            Credential::Nothing => None,
        }
    }

    /// Returns the caller of a request that reads, or of one that was checked before.
    pub async fn reader(&self, state: &ServerState, headers: &HeaderMap) -> Result<Caller> {
        let tokens = &state.service.access_tokens;
        match self {
            Credential::Bearer(token, owner) => {
                tokens.authenticate_as(owner.ok_or(Code::Unauthenticated)?, token).await
            }
            Credential::Cookie(cookie) => {
                tokens.authenticate_session(cookie, world(headers)?.unwrap_or(World::Live)).await
            }
            Credential::Nothing => Err(Code::Unauthenticated.into()),
        }
    }

    /// Returns the caller. A request by cookie that may change something must come from the server's own pages.
    pub async fn authenticate(
        &self,
        state: &ServerState,
        route: &Route,
        head: &request::Parts,
    ) -> Result<Caller> {
        if matches!(self, Credential::Cookie(_)) {
            let is_safe = matches!(head.method, Method::GET | Method::HEAD) && !route.acts;
            let is_ours = world(&head.headers)?.is_some() && is_same_origin(&head.headers, state);
            if !is_safe && !is_ours {
                return Err(Code::CrossSiteRequest.into());
            }
        }
        self.reader(state, &head.headers).await
    }
}

/// Returns the bearer token in the value of an `Authorization`.
fn bearer(value: &HeaderValue) -> Option<&str> {
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let values = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    values
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find_map(|(known, value)| (known == name).then_some(value))
}

fn world(headers: &HeaderMap) -> Result<Option<World>> {
    match headers.get(WORLD).map(HeaderValue::as_bytes) {
        None => Ok(None),
        Some(b"live") => Ok(Some(World::Live)),
        Some(b"test") => Ok(Some(World::Test)),
        Some(_) => Err(bad_header("Dockside-World", "Must be `live` or `test`.")),
    }
}

/// Returns whether the browser says that the request comes from a page of this server.
fn is_same_origin(headers: &HeaderMap, state: &ServerState) -> bool {
    if let Some(site) = headers.get(FETCH_SITE) {
        return site == "same-origin";
    }
    headers
        .get(header::ORIGIN)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|given| given.eq_ignore_ascii_case(own_origin(public_url(state))))
}

/// Refuses a sign-in that a page of another site makes: it would sign a person in as another user. A program sends neither
/// header.
pub fn refuse_foreign_page(headers: &HeaderMap, state: &ServerState) -> Result<()> {
    let is_page = headers.contains_key(FETCH_SITE) || headers.contains_key(header::ORIGIN);
    if is_page && !is_same_origin(headers, state) { Err(Code::CrossSiteRequest.into()) } else { Ok(()) }
}

fn public_url(state: &ServerState) -> &str {
    &state.service.settings().files.public_url
}

/// Returns the scheme, host and port of an address.
fn own_origin(url: &str) -> &str {
    let host = url.find("://").map_or(0, |at| at + 3);
    let end = url[host..].find('/').map_or(url.len(), |at| host + at);
    &url[..end]
}

fn has_tls(state: &ServerState) -> bool {
    public_url(state).starts_with("https://")
}

fn cookie_name(state: &ServerState) -> &'static str {
    if has_tls(state) { SECURE_NAME } else { PLAIN_NAME }
}

/// Returns the `Set-Cookie` of a session, or of none, which makes the browser forget it.
pub fn set_cookie(state: &ServerState, secret: Option<&Secret>) -> Result<HeaderValue> {
    let (value, seconds) = secret.map_or(("", 0), |secret| (secret.as_str(), SESSION_SECONDS));
    set(state, cookie_name(state), value, seconds)
}

fn set(state: &ServerState, name: &str, value: &str, seconds: i64) -> Result<HeaderValue> {
    let secure = if has_tls(state) { "; Secure" } else { "" };
    let text = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
    let mut value = HeaderValue::try_from(text).map_err(Error::fault)?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_the_address_without_its_path() {
        for (url, origin) in [
            ("https://dockside.example.com", "https://dockside.example.com"),
            ("https://example.com:8443/ship", "https://example.com:8443"),
            ("http://[::1]:8080", "http://[::1]:8080"),
        ] {
            assert_eq!(own_origin(url), origin);
        }
    }

    #[test]
    fn a_cookie_is_found_among_others_and_by_its_whole_name() {
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, HeaderValue::from_static("a=1; xdockside_session=2"));
        headers.append(header::COOKIE, HeaderValue::from_static("dockside_session=dks_3; b=4"));
        assert_eq!(cookie(&headers, PLAIN_NAME), Some("dks_3"));
        assert_eq!(cookie(&headers, SECURE_NAME), None);
    }
}
