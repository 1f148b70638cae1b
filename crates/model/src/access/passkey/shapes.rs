//! The forms in which passkeys and what they sign are sent.

use super::{CREDENTIAL_BYTES_MAX, PASSKEYS_MAX, Passkey, PasskeyInput};
use crate::access::password::PASSWORD;
use crate::access::user::USER_ID;
use crate::platform::id::Kind as IdKind;
use crate::platform::shape::{Field, Input, Kind, MOMENT, Pattern, Shape};

/// Longest texts in base64url, in characters.
const CHALLENGE_CHARS_MAX: usize = 100;
const CLIENT_DATA_CHARS_MAX: usize = 8_000;
const ATTESTATION_CHARS_MAX: usize = 16_000;
const AUTHENTICATOR_DATA_CHARS_MAX: usize = 8_000;
const SIGNATURE_CHARS_MAX: usize = 2_000;
const CREDENTIAL_CHARS_MAX: usize = CREDENTIAL_BYTES_MAX.div_ceil(3) * 4;
/// A handle has 64 bytes at most.
const USER_HANDLE_CHARS_MAX: usize = 86;
const NAME_CHARS_MAX: usize = 100;
const ALGORITHMS_MAX: usize = 10;

fn is_encoded(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

const fn encoded(chars_max: usize, about: &'static str) -> Shape {
    let pattern = Some(Pattern { regex: "^[A-Za-z0-9_-]*$", matches: is_encoded });
    Shape::new(Kind::Text { chars_min: 1, chars_max, pattern }, about)
}

/// The id of a passkey.
pub static PASSKEY_ID: Shape = Shape::new(
    Kind::Identifier(Passkey::PREFIX),
    "Names a passkey without giving access: the secret key never leaves the person's device. `DELETE /passkeys/{passkey_id}` takes it.",
);
static NAME: Shape = Shape::text(
    1,
    NAME_CHARS_MAX,
    "By which the person tells their devices apart. Nothing is signed with it, and two may have the same.",
)
.example(r#""Warehouse laptop""#);
static IS_SYNCABLE: Shape = Shape::new(
    Kind::Boolean,
    "Whether the device's maker may copy the key to other devices of the person, as its authenticator said when it was made.",
)
.example("true");
static CHALLENGE: Shape = encoded(
    CHALLENGE_CHARS_MAX,
    "What the authenticator must sign, in base64url. It can be answered once, within five minutes, and only by whom it was given to.",
)
.example(r#""bm90IGEgcmVhbCBjaGFsbGVuZ2U""#);
static RELYING_PARTY_ID: Shape = Shape::text(
    1,
    253,
    "The host of the setting `public_url`: `rp.id` or `rpId` of WebAuthn. A passkey works for this host alone.",
)
.example(r#""dockside.example.com""#);
static USER_HANDLE: Shape = encoded(
    USER_HANDLE_CHARS_MAX,
    "By which authenticators know the user: `user.id` and `userHandle` of WebAuthn, in base64url. It holds neither name nor address.",
)
.example(r#""AYkE9QfYAAAAAAAAAAAAAQGJBPUH2AAAAAAAAAAAAAI""#);
static CREDENTIAL_ID: Shape = encoded(
    CREDENTIAL_CHARS_MAX,
    "The name that the authenticator gave the key: `rawId` of WebAuthn, in base64url.",
)
.example(r#""qkBtx3GkVtfuyXVw6hhoVg""#);
static CREDENTIAL_IDS: Shape = Shape::list(
    &CREDENTIAL_ID,
    PASSKEYS_MAX as usize,
    "The keys that the user has already, so that a device makes no second one: `excludeCredentials` of WebAuthn.",
);
static ALGORITHM: Shape = Shape::new(
    Kind::Integer { min: -65_535, max: -1 },
    "A number of COSE: -7 is ES256, -8 EdDSA, -257 RS256.",
)
.example("-7");
static ALGORITHM_IDS: Shape = Shape::list(
    &ALGORITHM,
    ALGORITHMS_MAX,
    "The algorithms that the server accepts, the preferred one first: `pubKeyCredParams` of WebAuthn.",
);
static CLIENT_DATA: Shape = encoded(
    CLIENT_DATA_CHARS_MAX,
    "`clientDataJSON` of WebAuthn, in base64url: what the browser says of the page and of the challenge.",
)
.example(r#""eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0""#);
static ATTESTATION: Shape = encoded(
    ATTESTATION_CHARS_MAX,
    "`attestationObject` of WebAuthn, in base64url. Ask for the attestation `none`: no other is accepted.",
)
.example(r#""o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YUA""#);
static AUTHENTICATOR_DATA: Shape = encoded(
    AUTHENTICATOR_DATA_CHARS_MAX,
    "`authenticatorData` of WebAuthn, in base64url. The authenticator must have verified the person.",
)
.example(r#""SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ""#);
static SIGNATURE: Shape =
    encoded(SIGNATURE_CHARS_MAX, "`signature` of WebAuthn, in base64url, by the passkey's secret key.")
        .example(r#""MEUCIQDdFgQ1""#);

/// A passkey.
pub static PASSKEY: Shape = Shape::object(
    "Passkey",
    &[
        Field::given("id", &PASSKEY_ID),
        Field::given("user_id", &USER_ID),
        Field::given("name", &NAME),
        Field::given("is_syncable", &IS_SYNCABLE),
        Field::created_at(),
        Field::given_or_null("last_used_at", &MOMENT)
            .about("When the person last signed in with it. Null before the first time."),
    ],
    "A key on a device of a person, with which the person signs in.",
);

/// A new passkey.
pub static PASSKEY_INPUT: Shape = Shape::object(
    "PasskeyInput",
    &[
        Field::required("name", &NAME),
        Field::required("client_data", &CLIENT_DATA),
        Field::required("attestation_object", &ATTESTATION),
        Field::optional("current_password", &PASSWORD)
            .about("Needed if you signed in more than 15 minutes ago, or at an identity provider."),
    ],
    "What `navigator.credentials.create` answered.",
);

/// What a passkey has signed.
pub static PASSKEY_PROOF: Shape = Shape::object(
    "PasskeyProof",
    &[
        Field::required("credential_id", &CREDENTIAL_ID),
        Field::required("client_data", &CLIENT_DATA),
        Field::required("authenticator_data", &AUTHENTICATOR_DATA),
        Field::required("signature", &SIGNATURE),
        Field::required("user_handle", &USER_HANDLE),
    ],
    "What `navigator.credentials.get` answered.",
);

/// What a new passkey must answer.
pub static PASSKEY_CHALLENGE: Shape = Shape::object(
    "PasskeyChallenge",
    &[
        Field::given("challenge", &CHALLENGE),
        Field::given("relying_party_id", &RELYING_PARTY_ID),
        Field::given("user_handle", &USER_HANDLE),
        Field::given("algorithms", &ALGORITHM_IDS),
        Field::given("known_credential_ids", &CREDENTIAL_IDS),
        Field::given("expires_at", &MOMENT).about("From when on the challenge can't be answered any more."),
    ],
    "What a page needs for `navigator.credentials.create`.",
);

/// What a passkey must answer to sign a person in.
pub static SESSION_CHALLENGE: Shape = Shape::object(
    "SessionChallenge",
    &[
        Field::given("challenge", &CHALLENGE),
        Field::given("relying_party_id", &RELYING_PARTY_ID),
        Field::given("expires_at", &MOMENT).about("From when on the challenge can't be answered any more."),
    ],
    "What a page needs for `navigator.credentials.get`. It names no key, so it tells nothing of who has one.",
);

impl Input for PasskeyInput {
    const SHAPE: &'static Shape = &PASSKEY_INPUT;
}
