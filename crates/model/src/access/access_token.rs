//! Access tokens: the credentials of a caller, with its organisation, world and scopes.
//!
//! A token has the form `dk_live_…` or `dk_test_…`, followed by the organisation, 128 random bits and a checksum in
//! base 62. A token names its organisation, so that even its look-up is a statement scoped by its owner. The database
//! stores only its hash. The checksum rejects a mistyped token without a database query.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::access::scope::Scopes;
use crate::platform::digits::Digits;
use crate::platform::id::Kind as IdKind;
use crate::platform::shape::{Field, Input, Kind, MOMENT, Pattern, Shape};
use crate::{Id, Organisation, Owner, Timestamp, World};

/// A person or a program of an organisation.
pub struct User {
    pub id: Id<User>,
    pub email: String,
}

impl IdKind for User {
    const PREFIX: &'static str = "usr";
}

/// A token without its secret, as it is stored and shown.
#[derive(Clone, Debug)]
pub struct AccessToken {
    pub id: Id<AccessToken>,
    pub owner: Owner,
    pub user: Id<User>,
    pub name: Option<String>,
    pub scopes: Scopes,
    /// The token that was exchanged for this one at `/oauth/token`. If the parent is revoked or expires, so does this
    /// token.
    pub parent: Option<Id<AccessToken>>,
    /// The token that created this one, also by an exchange. Revoking the creator revokes this token. `None` if the
    /// operator created it.
    pub creator: Option<Id<AccessToken>>,
    pub expires_at: Option<Timestamp>,
    pub created_at: Timestamp,
}

impl IdKind for AccessToken {
    const PREFIX: &'static str = "tok";
}

impl AccessToken {
    /// Returns whether the token is neither revoked nor expired.
    pub fn is_alive(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|end| now < end)
    }

    /// Returns the token as the API shows it.
    pub fn view(&self, secret: Option<&Secret>) -> AccessTokenView {
        AccessTokenView {
            id: self.id,
            name: self.name.clone(),
            user: UserReference { id: self.user },
            mode: self.owner.world.as_str(),
            scopes: self.scopes.words(),
            expires_at: self.expires_at,
            created_at: self.created_at,
            created_by: self.creator,
            token: secret.map(|secret| secret.0.clone()),
        }
    }
}

/// A token as the API shows it.
#[derive(Serialize)]
pub struct AccessTokenView {
    id: Id<AccessToken>,
    name: Option<String>,
    user: UserReference,
    mode: &'static str,
    scopes: Vec<String>,
    expires_at: Option<Timestamp>,
    created_at: Timestamp,
    created_by: Option<Id<AccessToken>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

/// A user by its id.
#[derive(Serialize, Deserialize, Debug)]
pub struct UserReference {
    pub id: Id<User>,
}

/// The body of a request that creates a token.
#[derive(Deserialize, Debug)]
pub struct AccessTokenInput {
    pub name: Option<String>,
    pub scopes: Vec<String>,
    pub user: Option<UserReference>,
    pub expires_at: Option<Timestamp>,
}

impl Input for AccessTokenInput {
    const SHAPE: &'static Shape = &ACCESS_TOKEN_INPUT;
}

/// The secret text of a token, which is shown only once.
pub struct Secret(String);

const BASE: u128 = 62;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
static DIGITS: Digits = Digits::new(ALPHABET);
/// 62²² > 2¹²⁸, and 62⁶ > 2³².
const NUMBER_CHARS: usize = 22;
const CHECKSUM_CHARS: usize = 6;

/// Number of random bytes that [`Secret::new`] needs.
pub const SECRET_BYTES: usize = 16;

impl Secret {
    /// Creates a secret for an owner.
    pub fn new(owner: Owner, random: [u8; SECRET_BYTES]) -> Self {
        Self::with_prefix(&format!("dk_{}_", owner.world.as_str()), owner.organisation, random)
    }

    /// Creates a secret that begins with these letters.
    pub(crate) fn with_prefix(
        prefix: &str,
        organisation: Id<Organisation>,
        random: [u8; SECRET_BYTES],
    ) -> Self {
        let mut text = prefix.to_owned();
        push_base62(&mut text, organisation.bits(), NUMBER_CHARS);
        push_base62(&mut text, u128::from_be_bytes(random), NUMBER_CHARS);
        let checksum = crc32fast::hash(text.as_bytes());
        push_base62(&mut text, u128::from(checksum), CHECKSUM_CHARS);
        Self(text)
    }

    /// Returns the owner that a token names, or `None` if the checksum does not match, so that the token cannot be
    /// genuine.
    pub fn owner_of(token: &str) -> Option<Owner> {
        let rest = token.strip_prefix("dk_")?;
        let (world, prefix) = match rest.split_once('_')?.0 {
            "live" => (World::Live, "dk_live_"),
            "test" => (World::Test, "dk_test_"),
            _ => return None,
        };
        Some(Owner { organisation: Self::read_after(prefix, token)?, world })
    }

    /// Returns the organisation that a secret with this beginning names, if its checksum matches.
    pub(crate) fn read_after(prefix: &str, token: &str) -> Option<Id<Organisation>> {
        let digits = token.strip_prefix(prefix)?;
        if digits.len() != 2 * NUMBER_CHARS + CHECKSUM_CHARS || !digits.is_ascii() {
            return None;
        }
        let (signed, checksum) = token.split_at(token.len() - CHECKSUM_CHARS);
        let expected = u128::from(crc32fast::hash(signed.as_bytes()));
        if read_base62(checksum)? != expected {
            return None;
        }
        Some(Id::from_bits(read_base62(&digits[..NUMBER_CHARS])?))
    }

    /// Returns the hash that the database stores. The secret is random, so a fast hash is safe.
    pub fn hash(token: &str) -> [u8; 32] {
        Sha256::digest(token.as_bytes()).into()
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn push_base62(text: &mut String, mut number: u128, chars: usize) {
    let mut digits = vec![b'0'; chars];
    for digit in digits.iter_mut().rev() {
        *digit = ALPHABET[(number % BASE) as usize];
        number /= BASE;
    }
    text.extend(digits.into_iter().map(char::from));
}

fn read_base62(text: &str) -> Option<u128> {
    text.bytes()
        .try_fold(0u128, |number, char| number.checked_mul(BASE)?.checked_add(DIGITS.value(char)?.into()))
}

fn is_scope(text: &str) -> bool {
    !text.contains(char::is_whitespace) && Scopes::parse(text).is_ok_and(|set| set != Scopes::default())
}

/// The id of a token.
pub static ID: Shape = Shape::new(
    Kind::Identifier(AccessToken::PREFIX),
    "Names the token without giving access: `dockside token list` and revoking use it, and OAuth takes it as `client_id`.",
);
static NAME: Shape = Shape::text(
    0,
    255,
    "A note for people, such as the device that holds the token. It has no effect, and need not be unique.",
)
.example(r#""Warehouse scanner""#);
static USER_REFERENCE_ID: Shape = Shape::new(
    Kind::Identifier(User::PREFIX),
    "Names a user of the organisation. All tokens and sessions of one user share it.",
);
static USER: Shape = Shape::object(
    "UserReference",
    &[Field::required("id", &USER_REFERENCE_ID)],
    "The user the token belongs to. Defaults to the caller.",
);
static SCOPE: Shape = Shape::new(
    Kind::Text {
        chars_min: 1,
        chars_max: 64,
        pattern: Some(Pattern { regex: SCOPE_REGEX, matches: is_scope }),
    },
    "A resource and what may be done with it, such as `locations:read`. `write` implies `read`; `purchase`, which spends money, is implied by nothing but `*`.",
)
.example(r#""locations:read""#);
const SCOPE_REGEX: &str = r"^(\*|(locations|location_configurations|orders|inventory|allocations|shipments|carriers|batches|manifests|events|webhooks|access_tokens|organisation|package_types|shipping_rules|packing|printers|print_jobs|waves|users|imports):(read|write)|reservations:read|(shipments|batches):purchase)$";
pub(crate) static SCOPES: Shape = Shape::list(
    &SCOPE,
    40,
    "What the token may do. A token can't give another one more than it has itself. Scopes never change: make a new token instead.",
);
/// Scopes of a role, or of all roles of a user.
pub(crate) static ROLE_SCOPES: Shape = Shape::list(
    &SCOPE,
    128,
    "What the role allows. `events:read` is part of every role. You can give only scopes that you have yourself.",
);
pub(crate) static MODE: Shape = Shape::new(
    Kind::OneOf(&["live", "test"]),
    "`live` data, or the `test` world beside it, where the only carrier is the sandbox. Set by the token that made this one.",
);
static TOKEN: Shape = Shape::text(
    1,
    100,
    "The secret to send as `Authorization: Bearer …`. Only a hash of it is kept, so it is in this answer and never shown again.",
);

const CREATED_BY: Field = Field::given_or_null("created_by", &ID).about(
    "The token that made this one: revoking it revokes this one too. Null where the operator made it on the server, or a version of Dockside that did not record it.",
);

/// A token without its secret.
pub static ACCESS_TOKEN: Shape = Shape::object(
    "AccessToken",
    &[
        Field::given("id", &ID),
        Field::given_or_null("name", &NAME),
        Field::given("user", &USER),
        Field::given("mode", &MODE),
        Field::given("scopes", &SCOPES),
        Field::given_or_null("expires_at", &MOMENT)
            .about("From this moment on the token is refused with 401. Null: it lives until it is revoked."),
        Field::created_at(),
        CREATED_BY,
    ],
    "An access token. Its secret is shown once, when it is made.",
);

/// A token as the response to its creation shows it.
pub static ACCESS_TOKEN_CREATED: Shape = Shape::object(
    "AccessTokenCreated",
    &[
        Field::given("id", &ID),
        Field::given_or_null("name", &NAME),
        Field::given("user", &USER),
        Field::given("mode", &MODE),
        Field::given("scopes", &SCOPES),
        Field::given_or_null("expires_at", &MOMENT)
            .about("From this moment on the token is refused with 401. Null: it lives until it is revoked."),
        Field::created_at(),
        CREATED_BY,
        Field::given("token", &TOKEN),
    ],
    "A new access token with its secret.",
);

/// The body of a request that creates a token.
pub static ACCESS_TOKEN_INPUT: Shape = Shape::object(
    "AccessTokenInput",
    &[
        Field::given("id", &ID),
        Field::optional("name", &NAME),
        Field::optional("user", &USER),
        Field::given("mode", &MODE),
        Field::required("scopes", &SCOPES),
        Field::optional("expires_at", &MOMENT)
            .about("From this moment on the token is refused with 401. Null: it lives until it is revoked."),
        Field::created_at(),
        CREATED_BY,
    ],
    "What a new token is for and may do.",
);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Scope;

    proptest! {
        #[test]
        fn a_secret_names_its_owner(organisation: u128, random: [u8; SECRET_BYTES], test: bool) {
            let world = if test { World::Test } else { World::Live };
            let owner = Owner { organisation: Id::from_bits(organisation), world };
            let secret = Secret::new(owner, random);
            prop_assert_eq!(secret.as_str().len(), 58);
            prop_assert_eq!(Secret::owner_of(secret.as_str()), Some(owner));
        }

        #[test]
        fn one_wrong_character_is_noticed(organisation: u128, place in 8usize..58) {
            let owner = Owner::live(Id::from_bits(organisation));
            let mut token = Secret::new(owner, [7; SECRET_BYTES]).as_str().to_owned();
            let other = if token.as_bytes()[place] == b'x' { "y" } else { "x" };
            token.replace_range(place..=place, other);
            prop_assert_eq!(Secret::owner_of(&token), None);
        }

        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,70}") {
            prop_assert_eq!(Secret::owner_of(&format!("dk_live_{text}")), None);
        }
    }

    #[test]
    fn the_published_pattern_knows_every_scope() {
        let regex = regex_lite::Regex::new(SCOPE_REGEX).unwrap();
        for scope in Scope::all() {
            assert!(regex.is_match(&scope.to_string()) && is_scope(&scope.to_string()), "{scope}");
        }
        for word in ["reservations:write", "locations", "locations:purchase", "", "* *"] {
            assert!(!regex.is_match(word) && !is_scope(word), "{word}");
        }
    }
}
