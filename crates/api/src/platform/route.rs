//! The route table: one row is a method, a path, a scope, a summary and a handler.
//!
//! The router, the scope check, the OpenAPI document, the documentation and the matrix of authorisation tests all
//! come from these rows, so they can't drift apart.

mod parameter;

use std::future::Future;
use std::pin::Pin;

use http::{Method, StatusCode};
use model::platform::shape::Shape;
use model::{Code, Error, Result, Scope};

pub use parameter::{CURSOR, LIMIT, PAGE, Parameter, ParameterKind};

use crate::access::{access_tokens, oauth, organisations};
use crate::events::{events, webhook_endpoints};
use crate::orders::{allocations, orders};
use crate::places::{location_configurations, locations};
use crate::platform::call::Call;
use crate::platform::respond::Response;
use crate::platform::{connection, docs, system};
use crate::shipping::{batch_labels, batches, carrier_webhooks, carriers, files, manifests, shipments};
use crate::stock::inventory_items;

type Handler = Box<dyn Fn(Call) -> Pin<Box<dyn Future<Output = Result<Response>> + Send>> + Send + Sync>;

/// One row of the table.
pub struct Route {
    pub method: Method,
    pub path: &'static str,
    /// The handler's name, which is the operation id in OpenAPI.
    pub operation: &'static str,
    pub summary: &'static str,
    /// A description beyond the summary.
    pub about: &'static str,
    /// The scope that a caller needs. `None` if any valid token is enough, or no token is needed.
    pub scope: Option<Scope>,
    /// Whether any valid token may call it, regardless of its scopes.
    pub takes_any_token: bool,
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
    /// Whether it is a GET that changes something, as a few in this API do. Then it has no HEAD.
    pub acts: bool,
    pub(crate) handler: Handler,
}

/// The body that an operation takes.
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
}

/// The successful answer of an operation.
pub enum Success {
    Resource(&'static Shape),
    /// JSON without an `ETag`.
    Answer(&'static Shape),
    Created(&'static Shape),
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
    fn new<F, R>(method: Method, path: &'static str, scope: &str, summary: &'static str, handler: F) -> Self
    where
        F: Fn(Call) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Response>> + Send + 'static,
    {
        let name = std::any::type_name::<F>();
        Self {
            method,
            path,
            operation: name.rsplit("::").next().unwrap_or(name),
            summary,
            about: "",
            scope: Scope::parse(scope),
            takes_any_token: false,
            ids: Vec::new(),
            parameters: &[],
            body: None,
            success: Success::Empty,
            refusals: &[],
            accepts: false,
            repeats: false,
            tagged: false,
            acts: false,
            handler: Box::new(move |call| Box::pin(handler(call))),
        }
    }

    pub fn get<F, R>(path: &'static str, scope: &str, summary: &'static str, handler: F) -> Self
    where
        F: Fn(Call) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Response>> + Send + 'static,
    {
        Self::new(Method::GET, path, scope, summary, handler)
    }

    pub fn post<F, R>(path: &'static str, scope: &str, summary: &'static str, handler: F) -> Self
    where
        F: Fn(Call) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Response>> + Send + 'static,
    {
        Self::new(Method::POST, path, scope, summary, handler)
    }

    pub fn put<F, R>(path: &'static str, scope: &str, summary: &'static str, handler: F) -> Self
    where
        F: Fn(Call) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Response>> + Send + 'static,
    {
        Self::new(Method::PUT, path, scope, summary, handler)
    }

    pub fn patch<F, R>(path: &'static str, scope: &str, summary: &'static str, handler: F) -> Self
    where
        F: Fn(Call) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Response>> + Send + 'static,
    {
        Self::new(Method::PATCH, path, scope, summary, handler)
    }

    pub fn delete<F, R>(path: &'static str, scope: &str, summary: &'static str, handler: F) -> Self
    where
        F: Fn(Call) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Response>> + Send + 'static,
    {
        Self::new(Method::DELETE, path, scope, summary, handler)
    }

    /// Marks an operation that needs a valid token, and no scope.
    #[must_use]
    pub fn any_token(mut self) -> Self {
        self.takes_any_token = true;
        self
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

    /// Returns whether its answer has an `ETag`.
    pub fn has_etag(&self) -> bool {
        self.tagged || matches!(self.success, Success::Resource(_))
    }

    /// Returns whether the caller needs a valid token.
    pub fn needs_token(&self) -> bool {
        self.scope.is_some() || self.takes_any_token
    }

    /// Returns whether it is a page or a file that anyone may open.
    pub fn is_public_page(&self) -> bool {
        self.method == Method::GET && !self.needs_token() && !self.acts
    }

    /// Returns whether it may change something. Then it accepts an `Idempotency-Key`.
    pub fn writes(&self) -> bool {
        self.method != Method::GET && self.needs_token()
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

/// Returns routes that lead to a protocol of their own. They are not part of the OpenAPI document.
pub fn connections() -> Vec<Route> {
    connection::routes()
}

/// Returns every route of the OpenAPI document.
pub fn all() -> Vec<Route> {
    [
        locations::routes(),
        location_configurations::routes(),
        inventory_items::routes(),
        orders::routes(),
        allocations::routes(),
        carriers::routes(),
        carrier_webhooks::routes(),
        shipments::routes(),
        batches::routes(),
        batch_labels::routes(),
        manifests::routes(),
        events::routes(),
        webhook_endpoints::routes(),
        access_tokens::routes(),
        organisations::routes(),
        oauth::routes(),
        files::routes(),
        system::routes(),
        docs::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The routes, indexed by path.
pub struct Table {
    routes: Vec<Route>,
    paths: matchit::Router<Vec<usize>>,
}

/// The result of looking up a path and a method.
pub enum Match<'a> {
    Route {
        place: usize,
        route: &'a Route,
        ids: Vec<String>,
    },
    /// The path exists, with other methods.
    OtherMethods(String),
    Nothing,
}

impl Table {
    pub fn new(routes: Vec<Route>) -> Result<Self> {
        let mut by_path: Vec<(&'static str, Vec<usize>)> = Vec::new();
        for (place, route) in routes.iter().enumerate() {
            match by_path.iter_mut().find(|(path, _)| *path == route.path) {
                Some((_, places)) => places.push(place),
                None => by_path.push((route.path, vec![place])),
            }
        }
        let mut paths = matchit::Router::new();
        for (path, places) in by_path {
            paths.insert(path, places).map_err(Error::fault)?;
        }
        Ok(Self { routes, paths })
    }

    pub fn routes(&self) -> &[Route] {
        &self.routes
    }

    /// Finds the route. HEAD is answered as GET without a body, unless the GET changes something. A trailing slash
    /// makes no difference.
    pub fn find(&self, method: &Method, path: &str) -> Match<'_> {
        let Ok(found) = self.paths.at(path).or_else(|_| self.paths.at(without_slash(path))) else {
            return Match::Nothing;
        };
        let rows = found.value.iter().map(|place| (*place, &self.routes[*place]));
        let is_wanted =
            |route: &Route| if *method == Method::HEAD { route.has_head() } else { route.method == *method };
        if let Some((place, route)) = rows.clone().find(|(_, route)| is_wanted(route)) {
            let ids = found.params.iter().map(|(_, value)| value.to_owned()).collect();
            return Match::Route { place, route, ids };
        }
        let mut methods: Vec<&str> = rows.clone().map(|(_, route)| route.method.as_str()).collect();
        if rows.clone().any(|(_, route)| route.has_head()) {
            methods.push("HEAD");
        }
        methods.push("OPTIONS");
        Match::OtherMethods(methods.join(", "))
    }
}

/// Returns the path without its trailing slash. The path `/` stays.
pub fn without_slash(path: &str) -> &str {
    path.strip_suffix('/').filter(|path| !path.is_empty()).unwrap_or(path)
}
