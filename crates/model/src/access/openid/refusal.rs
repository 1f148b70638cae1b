//! Why a sign-in with OpenID Connect was refused. The codes are stable: the sign-in page of the console explains them.

/// Why an ID token was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// It is not a signed token of three parts, or too large.
    Malformed,
    /// Its algorithm is not one that is accepted, such as `none` and `HS256`.
    Algorithm,
    /// The provider has no such key.
    UnknownKey,
    Signature,
    Issuer,
    Audience,
    Expired,
    NotYetValid,
    /// It was issued too long ago, in the future, or at an unknown time.
    IssuedAt,
    Nonce,
    Subject,
}

/// Why a person was not let in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// There is no identity provider, or it names no organisation.
    NotConfigured,
    /// The provider did not answer, or not as one does.
    Unavailable,
    /// The answer belongs to no sign-in that this browser began, or that it has not finished yet.
    State,
    /// The sign-in was begun too long ago.
    Expired,
    /// The person, or the provider for them, said no.
    Cancelled,
    /// The provider reported an error.
    Provider,
    /// The provider did not accept the code.
    Code,
    Token(Flaw),
    /// The provider has not verified the person's address, or names none.
    EmailUnverified,
    Domain,
    /// None of the person's values in the claim has a role.
    NoRole,
    NotInvited,
    Disabled,
    /// The user with this address signs in as another subject of the provider.
    OtherIdentity,
    /// The organisation can't have more users.
    TooManyUsers,
    /// The person's address, or their name, is not one that a user can have.
    Unusable,
    /// There were too many failed sign-ins from this network address.
    Limited,
}

impl Refusal {
    /// Returns the stable code.
    pub fn as_str(self) -> &'static str {
        match self {
            Refusal::NotConfigured => "oidc_not_configured",
            Refusal::Unavailable => "oidc_unavailable",
            Refusal::State => "oidc_state",
            Refusal::Expired => "oidc_expired",
            Refusal::Cancelled => "oidc_cancelled",
            Refusal::Provider => "oidc_provider",
            Refusal::Code => "oidc_code",
            Refusal::Token(flaw) => flaw.as_str(),
            Refusal::EmailUnverified => "oidc_email_unverified",
            Refusal::Domain => "oidc_domain",
            Refusal::NoRole => "oidc_no_role",
            Refusal::NotInvited => "oidc_not_invited",
            Refusal::Disabled => "oidc_disabled",
            Refusal::OtherIdentity => "oidc_other_identity",
            Refusal::TooManyUsers => "oidc_too_many_users",
            Refusal::Unusable => "oidc_unusable",
            Refusal::Limited => "oidc_limited",
        }
    }
}

impl Flaw {
    fn as_str(self) -> &'static str {
        match self {
            Flaw::Malformed => "oidc_token_malformed",
            Flaw::Algorithm => "oidc_token_algorithm",
            Flaw::UnknownKey => "oidc_token_key",
            Flaw::Signature => "oidc_token_signature",
            Flaw::Issuer => "oidc_token_issuer",
            Flaw::Audience => "oidc_token_audience",
            Flaw::Expired => "oidc_token_expired",
            Flaw::NotYetValid => "oidc_token_not_yet_valid",
            Flaw::IssuedAt => "oidc_token_issued_at",
            Flaw::Nonce => "oidc_token_nonce",
            Flaw::Subject => "oidc_token_subject",
        }
    }
}

impl From<Flaw> for Refusal {
    fn from(flaw: Flaw) -> Self {
        Refusal::Token(flaw)
    }
}
