//! Routes: what each operation of the API is, without its handler.
//!
//! The router, the scope check, the OpenAPI document, the documentation and the matrix of authorisation tests all
//! come from these rows, so they can't drift apart.

use http::{Method, StatusCode};
use model::platform::shape::Shape;
use model::{Code, Scope};

use crate::platform::parameter::Parameter;

/// Which callers may use a route.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Every caller, without a token.
    Public,
    /// Callers with a valid token or session, whatever its scopes.
    AnyToken,
    /// Callers whose token or session has this scope.
    Scope(Scope),
}

impl Access {
    /// Returns the access of tokens with the scope of this name, such as `locations:read`.
    ///
    /// # Panics
    ///
    /// If there is no such scope. The server builds its table when it starts, so it does not start with such a row.
    #[expect(
        clippy::panic,
        reason = "a row with a mistyped scope must never be served, least of all to the public"
    )]
    pub fn scope(name: &str) -> Self {
        match Scope::parse(name) {
            Some(scope) => Self::Scope(scope),
            None => panic!("a route names a scope that does not exist: {name}"),
        }
    }
}

/// One row of the table.
#[derive(Clone)]
pub struct Route {
    pub method: Method,
    pub path: &'static str,
    /// The operation id in OpenAPI, which is also the name of the handler.
    pub operation: &'static str,
    pub summary: &'static str,
    /// A description beyond the summary.
    pub about: &'static str,
    pub access: Access,
    /// The shapes of the path's parameters, in their order.
    pub ids: Vec<&'static Shape>,
    pub parameters: &'static [Parameter],
    pub body: Option<Body>,
    pub success: Success,
    /// Codes with which this operation may be refused, in addition to those of all operations.
    pub refusals: &'static [Code],
    /// Whether it may answer with 202 before it has finished.
    pub accepts: bool,
    /// Whether it may answer 200 instead of 201, because the resource exists already.
    pub repeats: bool,
    /// Whether the list in its answer has an `ETag`, as a resource has.
    pub tagged: bool,
    /// Whether it is about what both worlds share, which belongs to the live world.
    pub live_only: bool,
    /// Whether its body holds a password or a link, of which nothing may be kept.
    pub holds_secret: bool,
    /// Whether it is a GET that changes something, as a few in this API do. Then it has no HEAD.
    pub acts: bool,
}

/// The body that an operation takes.
#[derive(Clone, Copy)]
pub enum Body {
    Json(&'static Shape),
    /// A merge patch of the resource.
    Patch(&'static Shape),
    /// A form, as OAuth requires.
    Form(&'static Shape),
    /// JSON that may be absent, because the query can carry the same fields.
    Optional(&'static Shape),
    /// Raw bytes up to a limit, which the protocol behind it checks itself.
    Raw {
        bytes_max: usize,
    },
    /// A file, which the handler reads while it arrives. The limit of other bodies does not apply.
    File,
    /// JSON of this shape, or a file if the media type is another one.
    JsonOrFile(&'static Shape),
}

/// The media type of JSON, which chooses the form of a body that may also be a file.
pub const JSON_TYPE: &str = "application/json";

/// The successful answer of an operation.
#[derive(Clone, Copy)]
pub enum Success {
    Resource(&'static Shape),
    /// JSON without an `ETag`.
    Answer(&'static Shape),
    Created(&'static Shape),
    /// JSON with 202: what was asked for is done later, and nothing tells when.
    Accepted(&'static Shape),
    /// Several changed or created resources, under `data`.
    Many(StatusCode, &'static Shape),
    /// A page: the name of the array and the shape of its items.
    List(&'static str, &'static Shape),
    Empty,
    /// No body, but a header with the ids of the revoked access tokens.
    Revoked,
    /// A body that is not a resource, of this media type.
    Other(&'static str),
}

impl Route {
    fn new(
        method: Method,
        path: &'static str,
        access: Access,
        operation: &'static str,
        summary: &'static str,
    ) -> Self {
        Self {
            method,
            path,
            operation,
            summary,
            about: "",
            access,
            ids: Vec::new(),
            parameters: &[],
            body: None,
            success: Success::Empty,
            refusals: &[],
            accepts: false,
            repeats: false,
            tagged: false,
            live_only: false,
            holds_secret: false,
            acts: false,
        }
    }

    pub fn get(path: &'static str, access: Access, operation: &'static str, summary: &'static str) -> Self {
        Self::new(Method::GET, path, access, operation, summary)
    }

    pub fn post(path: &'static str, access: Access, operation: &'static str, summary: &'static str) -> Self {
        Self::new(Method::POST, path, access, operation, summary)
    }

    pub fn put(path: &'static str, access: Access, operation: &'static str, summary: &'static str) -> Self {
        Self::new(Method::PUT, path, access, operation, summary)
    }

    pub fn patch(path: &'static str, access: Access, operation: &'static str, summary: &'static str) -> Self {
        Self::new(Method::PATCH, path, access, operation, summary)
    }

    pub fn delete(
        path: &'static str,
        access: Access,
        operation: &'static str,
        summary: &'static str,
    ) -> Self {
        Self::new(Method::DELETE, path, access, operation, summary)
    }

    #[must_use]
    pub fn about(mut self, about: &'static str) -> Self {
        self.about = about;
        self
    }

    #[must_use]
    pub fn id(mut self, shape: &'static Shape) -> Self {
        self.ids.push(shape);
        self
    }

    #[must_use]
    pub fn parameters(mut self, parameters: &'static [Parameter]) -> Self {
        self.parameters = parameters;
        self
    }

    #[must_use]
    pub fn body(mut self, body: Body) -> Self {
        self.body = Some(body);
        self
    }

    #[must_use]
    pub fn success(mut self, success: Success) -> Self {
        self.success = success;
        self
    }

    #[must_use]
    pub fn refusals(mut self, refusals: &'static [Code]) -> Self {
        self.refusals = refusals;
        self
    }

    /// Marks an operation that may answer before it has finished.
    #[must_use]
    pub fn accepts(mut self) -> Self {
        self.accepts = true;
        self
    }

    /// Marks an operation that answers 200 instead of 201 if the resource exists already.
    #[must_use]
    pub fn repeats(mut self) -> Self {
        self.repeats = true;
        self
    }

    /// Marks a list that is read whole, and has an `ETag`.
    #[must_use]
    pub fn tagged(mut self) -> Self {
        self.tagged = true;
        self
    }

    /// Marks an operation on what both worlds share. A session may use it in either world; a token must be a live one.
    #[must_use]
    pub fn live_only(mut self) -> Self {
        self.live_only = true;
        self
    }

    /// Marks an operation whose body holds a secret. It takes no `Idempotency-Key`: the fingerprint of the body would be kept.
    #[must_use]
    pub fn holds_secret(mut self) -> Self {
        self.holds_secret = true;
        self
    }

    /// Marks a GET that changes something. HEAD must not change anything, so it is refused there.
    #[must_use]
    pub fn acts(mut self) -> Self {
        self.acts = true;
        self
    }

    /// Returns whether HEAD is answered, as GET without the body.
    pub fn has_head(&self) -> bool {
        self.method == Method::GET && !self.acts
    }

    /// Returns whether it answers with a page of a list.
    pub fn is_list(&self) -> bool {
        matches!(self.success, Success::List(..))
    }

    /// Returns whether its answer has an `ETag`.
    pub fn has_etag(&self) -> bool {
        self.tagged || matches!(self.success, Success::Resource(_))
    }

    /// Returns whether the caller needs a valid token.
    pub fn needs_token(&self) -> bool {
        self.access != Access::Public
    }

    /// Returns the scope that the caller's token must have, if the route requires one.
    pub fn scope(&self) -> Option<Scope> {
        match self.access {
            Access::Scope(scope) => Some(scope),
            Access::Public | Access::AnyToken => None,
        }
    }

    /// Returns whether a body of this media type is read by the handler while it arrives. The type is asked for only if it decides.
    pub fn takes_file(&self, media_type: impl FnOnce() -> String) -> bool {
        match self.body {
            Some(Body::File) => true,
            Some(Body::JsonOrFile(_)) => media_type() != JSON_TYPE,
            _ => false,
        }
    }

    /// Returns whether it is a page or a file that anyone may open.
    pub fn is_public_page(&self) -> bool {
        self.method == Method::GET && !self.needs_token()
    }

    /// Returns whether it accepts an `Idempotency-Key`: it may change something, and its body may be remembered.
    pub fn writes(&self) -> bool {
        self.method != Method::GET && self.needs_token() && !self.holds_secret
    }

    /// Returns whether it reads state that the event log describes. Then its answer names the position in the log.
    pub fn shows_state(&self) -> bool {
        let is_state = matches!(self.success, Success::Resource(_) | Success::List(..));
        self.method == Method::GET && self.needs_token() && is_state
    }

    /// Returns the parameters in the path, in their order, with the shape of each.
    pub fn path_parameters(&self) -> impl Iterator<Item = (&'static str, &'static Shape)> {
        let names = self.path.split('/').filter_map(|step| step.strip_prefix('{')?.strip_suffix('}'));
        names.zip(self.ids.iter().copied())
    }

    /// Returns the group in the documentation: the first segment of the path.
    pub fn group(&self) -> &'static str {
        self.path.split('/').find(|step| !step.is_empty()).unwrap_or("docs")
    }
}
