//! Signing in with OpenID Connect: the authorisation code flow with PKCE, at the identity provider that the operator chose.
//!
//! A request waits for the provider here, which belongs to the operator as a NATS server does (decision 49).

mod attempt;
mod enter;
mod provider;
mod settings;

use std::sync::Arc;

use model::access::openid::ATTEMPT_SECONDS;
use model::access::openid::id_token::{self, Claims, Expected};
use model::access::openid::identity::{Identity, add_user_info, lacks_claims};
use model::access::openid::provider::{Provider, encode_pairs};
use model::access::openid::refusal::{Flaw, Refusal};
use model::{Id, Organisation, Result, Timestamp};
use store::access::{organisations, spent_challenges};
use store::{Access, Tx};
use tracing::{info, warn};

use crate::access::address_limit::AddressLimit;
use crate::access::new_session::{SignInOrigin, SignedIn};
use crate::events::access_ends::AccessEnds;
use crate::platform::context::Context;

use attempt::Attempt;
use attempt::AttemptKey;
use provider::{Client, Failure};
pub use settings::Settings;

/// The path to which the provider sends people back.
pub const CALLBACK_PATH: &str = "/oidc/callback";
/// The scope without which a provider gives no ID token.
const OPENID: &str = "openid";

/// Where a browser goes to sign in, and the cookie that it needs when it comes back.
pub struct Started {
    pub url: String,
    pub cookie: String,
}

/// What the provider sent back through the browser.
#[derive(Default)]
pub struct Callback {
    pub code: Option<String>,
    pub state: Option<String>,
    pub error: Option<String>,
    /// The issuer (RFC 9207).
    pub issuer: Option<String>,
    /// The cookie of [`Started`].
    pub cookie: Option<String>,
}

/// How a sign-in ended, and which page of the console the person wanted.
pub struct Finished {
    pub outcome: std::result::Result<SignedIn, Refusal>,
    pub next: Option<String>,
}

/// Signs people in with OpenID Connect.
#[derive(Clone)]
pub struct OpenId {
    context: Context,
    ends: AccessEnds,
    addresses: Arc<AddressLimit>,
    redirect_uri: String,
    key: AttemptKey,
    configured: Option<Configured>,
}

#[derive(Clone)]
struct Configured {
    settings: Arc<Settings>,
    client: Client,
}

impl OpenId {
    pub(crate) fn new(
        context: &Context,
        ends: &AccessEnds,
        addresses: &Arc<AddressLimit>,
        public_url: &str,
        settings: Option<&Settings>,
    ) -> Result<Self> {
        let configure = |settings: &Settings| {
            let settings = Arc::new(settings.clone());
            Client::new(&settings).map(|client| Configured { settings, client })
        };
        Ok(Self {
            context: context.clone(),
            ends: ends.clone(),
            addresses: Arc::clone(addresses),
            redirect_uri: format!("{public_url}{CALLBACK_PATH}"),
            key: AttemptKey::derive(&context.settings().signing_key),
            configured: settings.map(configure).transpose()?,
        })
    }

    /// Returns what the button of the sign-in page says, if there is an identity provider.
    pub fn label(&self) -> Option<&str> {
        self.configured.as_ref().map(|configured| configured.settings.label.as_str())
    }

    fn issuer(&self) -> &str {
        self.configured.as_ref().map_or("", |configured| &configured.settings.issuer)
    }

    /// Begins a sign-in. `next` is the page of the console that the person wants.
    pub async fn start(
        &self,
        next: Option<&str>,
        origin: &SignInOrigin,
    ) -> std::result::Result<Started, Refusal> {
        let configured = self.configured.as_ref().ok_or(Refusal::NotConfigured)?;
        if self.addresses.refuse(origin.address).is_some() {
            return Err(Refusal::Limited);
        }
        let now = self.context.now();
        let provider = configured.provider(now).await?;
        let mut secret = [0; 32];
        self.context.fill_random(&mut secret);
        let attempt = Attempt::new(secret, now, next);
        let settings = &configured.settings;
        let mut scopes = settings.scopes.clone();
        if !scopes.iter().any(|scope| scope == OPENID) {
            scopes.insert(0, OPENID.to_owned());
        }
        let query = encode_pairs(&[
            ("response_type", "code"),
            ("client_id", &settings.client_id),
            ("redirect_uri", &self.redirect_uri),
            ("scope", &scopes.join(" ")),
            ("state", &attempt.state()),
            ("nonce", &attempt.nonce()),
            ("code_challenge", &attempt.code_challenge()),
            ("code_challenge_method", "S256"),
        ]);
        // An endpoint may have a query of its own.
        let mark = if provider.authorization_endpoint.contains('?') { '&' } else { '?' };
        let url = format!("{}{mark}{query}", provider.authorization_endpoint);
        Ok(Started { url, cookie: attempt.seal(&self.key) })
    }

    /// Finishes a sign-in.
    pub async fn finish(&self, callback: Callback, origin: &SignInOrigin) -> Result<Finished> {
        let attempt = callback.cookie.as_deref().and_then(|cookie| Attempt::open(&self.key, cookie));
        let next = attempt.as_ref().map(|attempt| attempt.next.clone());
        let outcome = match self.addresses.refuse(origin.address) {
            Some(_) => Err(Refusal::Limited),
            None => self.try_finish(attempt, callback, origin).await?,
        };
        if let Err(refusal) = &outcome {
            info!(reason = refusal.as_str(), "sign-in with OpenID Connect refused");
            // What the provider's state or the person's own decision caused does not count as guessing.
            if !matches!(refusal, Refusal::Unavailable | Refusal::NotConfigured | Refusal::Cancelled) {
                self.addresses.count(origin.address);
            }
        }
        Ok(Finished { outcome, next })
    }

    async fn try_finish(
        &self,
        attempt: Option<Attempt>,
        callback: Callback,
        origin: &SignInOrigin,
    ) -> Result<std::result::Result<SignedIn, Refusal>> {
        let Some(configured) = &self.configured else { return Ok(Err(Refusal::NotConfigured)) };
        let now = self.context.now();
        let attempt = match check_attempt(attempt, &callback, now) {
            Ok(attempt) => attempt,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if !self.spend(&attempt).await? {
            return Ok(Err(Refusal::State));
        }
        let Some(organisation) = self.organisation(&configured.settings).await? else {
            warn!("the setting oidc_organisation is needed: there is not exactly one organisation");
            return Ok(Err(Refusal::NotConfigured));
        };
        let identity = match configured.identify(&attempt, &callback, &self.redirect_uri, now).await {
            Ok(identity) => identity,
            Err(refusal) => return Ok(Err(refusal)),
        };
        match configured.settings.policy.admit(&identity) {
            Ok(admission) => self.enter(organisation, identity, admission, origin).await,
            Err(refusal) => Ok(Err(refusal)),
        }
    }

    /// Records that the attempt was answered. Returns false if it was before.
    async fn spend(&self, attempt: &Attempt) -> Result<bool> {
        let hash = attempt.hash();
        let expires_at = self.context.now().plus_seconds(ATTEMPT_SECONDS);
        let spend = async move |tx: &mut Tx<'_>| spent_challenges::insert(tx, hash, expires_at).await;
        self.context.db().write(Access::System, spend).await
    }

    async fn organisation(&self, settings: &Settings) -> Result<Option<Id<Organisation>>> {
        if let Some(named) = settings.organisation {
            let read = async move |tx: &mut Tx<'_>| organisations::get(tx, named).await;
            let exists = self.context.db().read(Access::System, read).await?.is_some();
            return Ok(exists.then_some(named));
        }
        let only = async |tx: &mut Tx<'_>| organisations::only(tx).await;
        self.context.db().read(Access::System, only).await
    }
}

/// Returns the attempt that the answer belongs to.
fn check_attempt(
    attempt: Option<Attempt>,
    callback: &Callback,
    now: Timestamp,
) -> std::result::Result<Attempt, Refusal> {
    let attempt = attempt.ok_or(Refusal::State)?;
    if callback.state.as_deref() != Some(attempt.state().as_str()) {
        return Err(Refusal::State);
    }
    if now.as_seconds() >= attempt.expires_at { Err(Refusal::Expired) } else { Ok(attempt) }
}

impl Configured {
    async fn provider(&self, now: Timestamp) -> std::result::Result<Provider, Refusal> {
        self.client.provider(now).await.map_err(unavailable)
    }

    /// Trades the code of the answer, and returns who the person is.
    async fn identify(
        &self,
        attempt: &Attempt,
        callback: &Callback,
        redirect_uri: &str,
        now: Timestamp,
    ) -> std::result::Result<Identity, Refusal> {
        let provider = self.provider(now).await?;
        let settings = &self.settings;
        match &callback.issuer {
            // The answer of another provider that the person was made to use (mix-up).
            Some(issuer) if *issuer != settings.issuer => return Err(Flaw::Issuer.into()),
            None if provider.names_issuer => return Err(Flaw::Issuer.into()),
            _ => {}
        }
        match callback.error.as_deref() {
            Some("access_denied") => return Err(Refusal::Cancelled),
            Some(error) => {
                let error: String = error.chars().filter(char::is_ascii_graphic).take(100).collect();
                warn!(error, "the identity provider reported an error");
                return Err(Refusal::Provider);
            }
            None => {}
        }
        let code = callback.code.as_deref().ok_or(Refusal::Provider)?;
        let traded = self.client.trade_code(&provider, code, &attempt.verifier(), redirect_uri).await;
        let tokens = traded.map_err(|failure| match failure {
            Failure::Refused(why) => {
                warn!(why, "the identity provider refused a code");
                Refusal::Code
            }
            Failure::Unavailable(why) => unavailable(why),
        })?;
        let mut claims = self.claims(&provider, &tokens.id_token, &attempt.nonce(), now).await?;
        let role_claim = settings.policy.role_claim.as_deref();
        if let (true, Some(url), Some(token)) =
            (lacks_claims(&claims, role_claim), &provider.userinfo_endpoint, &tokens.access_token)
        {
            let info = self.client.user_info(url, token).await.map_err(unavailable)?;
            if !add_user_info(&mut claims, &info) {
                return Err(Flaw::Subject.into());
            }
        }
        Ok(Identity::of(&claims, role_claim))
    }

    /// Reads the ID token. If it names an unknown key, the keys are fetched anew once.
    async fn claims(
        &self,
        provider: &Provider,
        token: &str,
        nonce: &str,
        now: Timestamp,
    ) -> std::result::Result<Claims, Refusal> {
        let expected = Expected {
            issuer: &self.settings.issuer,
            client_id: &self.settings.client_id,
            nonce,
            now: now.as_seconds(),
        };
        let keys = self.client.keys(provider, now, false).await.map_err(unavailable)?;
        match id_token::read(token, &keys, &expected) {
            Err(Flaw::UnknownKey) => {
                let keys = self.client.keys(provider, now, true).await.map_err(unavailable)?;
                Ok(id_token::read(token, &keys, &expected)?)
            }
            read => Ok(read?),
        }
    }
}

fn unavailable(why: String) -> Refusal {
    warn!(why, "the identity provider is not available");
    Refusal::Unavailable
}
