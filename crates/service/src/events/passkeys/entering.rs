//! Signing in with a passkey.

use model::access::access_token::Secret;
use model::access::passkey::ceremony::{Assertion, Ceremony, challenge_of, ensure_goes_on, verify};
use model::access::passkey::flaw::Flaw;
use model::access::passkey::relying_party::RelyingParty;
use model::access::passkey::{Encoded, PasskeyProof, encode, read_user_handle};
use model::access::session::BeganWith;
use model::{Code, Id, Organisation, Owner, Result, Timestamp, ensure};
use serde_json::json;
use store::Tx;
use store::access::passkeys::{self, StoredPasskey};
use store::access::users;
use tracing::{info, warn};

use super::Passkeys;
use crate::access::new_session::{NewSession, SignInOrigin, SignedIn, insert};

/// Bytes of the secret that binds a challenge to the browser that asked for it.
const ATTEMPT_BYTES: usize = 32;

/// A challenge for a browser, and the cookie that the browser must send with the answer.
pub struct SignInChallenge {
    pub body: String,
    pub cookie: String,
}

/// What a passkey has signed, as bytes.
struct Proof {
    organisation: Id<Organisation>,
    user: Id<model::User>,
    credential_id: Vec<u8>,
    client_data: Vec<u8>,
    authenticator_data: Vec<u8>,
    signature: Vec<u8>,
    challenge: Vec<u8>,
}

impl Passkeys {
    /// Returns a challenge for a browser. Without knowing who the person is, it tells nothing of users.
    pub fn start_sign_in(&self) -> Result<SignInChallenge> {
        let party = self.party()?;
        let mut secret = [0; ATTEMPT_BYTES];
        self.context.fill_random(&mut secret);
        let cookie = encode(&secret);
        let (challenge, expires_at) = self.challenges.create(Ceremony::SignIn, cookie.as_bytes());
        let body = json!({
            "challenge": encode(&challenge),
            "relying_party_id": party.id,
            "expires_at": expires_at,
        });
        Ok(SignInChallenge { body: body.to_string(), cookie })
    }

    /// Begins the session of the person whose passkey has signed. Whatever is wrong, the refusal is the same.
    pub(crate) async fn enter(&self, proof: PasskeyProof, origin: &SignInOrigin) -> Result<SignedIn> {
        let party = self.party()?;
        let proof = match self.read_proof(&proof, party, origin) {
            Ok(proof) => proof,
            Err(flaw) => return Err(refused(flaw)),
        };
        let (organisation, credential) = (proof.organisation, proof.credential_id.clone());
        let owner = Owner::live(organisation);
        let find = async move |tx: &mut Tx<'_>| passkeys::by_credential(tx, organisation, &credential).await;
        let found = self.context.db().read(owner, find).await?;
        let Some(passkey) = found.filter(|found| found.user == proof.user) else {
            return Err(refused(Flaw::Unknown));
        };
        let assertion = match check(&proof, &passkey, party) {
            Ok(assertion) => assertion,
            Err(flaw) => {
                if flaw == Flaw::Counter {
                    warn!(passkey = %passkey.id, user = %passkey.user, "passkey counter went back: the key may have been copied");
                }
                return Err(refused(flaw));
            }
        };
        if !self.challenges.spend(&proof.challenge).await? {
            return Err(refused(Flaw::Challenge));
        }
        self.begin(organisation, passkey, assertion, origin).await
    }

    fn read_proof(
        &self,
        proof: &PasskeyProof,
        party: &RelyingParty,
        origin: &SignInOrigin,
    ) -> std::result::Result<Proof, Flaw> {
        let decode = |encoded: &Encoded| encoded.decode().ok_or(Flaw::Malformed);
        let client_data = decode(&proof.client_data)?;
        let challenge = challenge_of(Ceremony::SignIn, &client_data, party)?;
        let holder = origin.attempt.as_deref().ok_or(Flaw::Challenge)?;
        if !self.challenges.is_valid(Ceremony::SignIn, holder.as_bytes(), &challenge) {
            return Err(Flaw::Challenge);
        }
        let (organisation, user) = read_user_handle(&decode(&proof.user_handle)?).ok_or(Flaw::Unknown)?;
        Ok(Proof {
            organisation,
            user,
            credential_id: decode(&proof.credential_id)?,
            client_data,
            authenticator_data: decode(&proof.authenticator_data)?,
            signature: decode(&proof.signature)?,
            challenge,
        })
    }

    async fn begin(
        &self,
        organisation: Id<Organisation>,
        passkey: StoredPasskey,
        assertion: Assertion,
        origin: &SignInOrigin,
    ) -> Result<SignedIn> {
        let draft = NewSession::draft(&self.context, organisation, BeganWith::Passkey, origin);
        let (hash, session) = (Secret::hash(draft.secret.as_str()), draft.session.clone());
        let now: Timestamp = session.created_at;
        let begin = self.context.db().write(Owner::live(organisation), async move |tx| {
            let user = users::get(tx, organisation, passkey.user).await?.ok_or(Code::SignInFailed)?;
            ensure(!user.is_disabled, Code::SignInFailed)?;
            let is_current =
                passkeys::set_used(tx, organisation, &passkey, assertion.sign_count, now).await?;
            ensure(is_current, Code::SignInFailed)?;
            insert(tx, &user, session.clone(), hash).await
        });
        let session = begin.await?;
        draft.done(&session)
    }
}

fn check(
    proof: &Proof,
    passkey: &StoredPasskey,
    party: &RelyingParty,
) -> std::result::Result<Assertion, Flaw> {
    let Proof { client_data, authenticator_data, signature, .. } = proof;
    let assertion = verify(client_data, authenticator_data, signature, &passkey.public_key, party)?;
    ensure_goes_on(&assertion, passkey.sign_count, passkey.is_syncable)?;
    Ok(assertion)
}

fn refused(flaw: Flaw) -> model::Error {
    info!(reason = flaw.as_str(), "sign-in with a passkey refused");
    Code::SignInFailed.into()
}
