//! The route table: one row is a method, a path, a scope, a summary and a handler.
//!
//! The router, the scope check, the OpenAPI document, the documentation and the matrix of authorisation tests all
//! come from these rows, so they can't drift apart.

use std::future::Future;
use std::pin::Pin;

use http::{Method, StatusCode};
use model::shape::Shape;
use model::{Code, Error, Result, Scope};

use crate::call::Call;
use crate::respond::Response;
use crate::{
    access_tokens, allocations, batches, carrier_webhooks, carriers, connection, docs, events, files,
    inventory_items, location_configurations, locations, manifests, oauth, orders, shipments, system,
    webhook_endpoints,
};

type Handler = Box<dyn Fn(Call) -> Pin<Box<dyn Future<Output = Result<Response>> + Send>> + Send + Sync>;

/// One row of the table.
pub struct Route {
    pub method: Method,
    pub path: &'static str,
    /// The handler's own name: the operation id of OpenAPI.
    pub operation: &'static str,
    pub summary: &'static str,
    /// What a person should know beyond the summary.
    pub about: &'static str,
    /// The scope a caller needs; `None` where anybody may call.
    pub scope: Option<Scope>,
    /// The shapes of the path's parameters, in their order.
    pub ids: Vec<&'static Shape>,
    pub parameters: &'static [Parameter],
    pub body: Option<Body>,
    pub success: Success,
    /// What may refuse this operation beyond what may refuse any.
    pub refusals: &'static [Code],
    /// Whether it may answer before it is done: with 202.
    pub accepts: bool,
    /// Whether it may answer 200 instead of 201, because what is asked for is there already.
    pub repeats: bool,
    /// Whether it is a GET that changes something, as the interface has a few: then there is no HEAD of it.
    pub acts: bool,
    pub(crate) handler: Handler,
}

/// A query parameter.
pub struct Parameter {
    pub name: &'static str,
    pub about: &'static str,
    pub kind: ParameterKind,
}

/// The forms of query parameters.
pub enum ParameterKind {
    /// `limit`: a whole number of 1 or more.
    Limit,
    /// `cursor`: opaque.
    Cursor,
    /// Many values, repeated, with `[]` or separated by commas.
    List(&'static Shape),
    /// Many words out of a few, separated by commas.
    Words(&'static [&'static str]),
    /// One value of this shape.
    One(&'static Shape),
    /// `true` or `false`.
    Flag,
}

/// The body that an operation takes.
pub enum Body {
    Json(&'static Shape),
    /// A merge patch of the resource.
    Patch(&'static Shape),
    /// A form, as OAuth wants it.
    Form(&'static Shape),
    /// JSON that may be left out, because the query can say the same.
    Optional(&'static Shape),
    /// Bytes of a protocol that checks them itself.
    Raw,
}

/// What an operation answers when all is well.
pub enum Success {
    Resource(&'static Shape),
    /// Something that has no state of its own to tag.
    Answer(&'static Shape),
    Created(&'static Shape),
    /// Several resources, changed or made, under `data`.
    Many(StatusCode, &'static Shape),
    /// A page: the name of the array and the shape of its items.
    List(&'static str, &'static Shape),
    Empty,
    /// Something that is not a resource, of this media type.
    Other(&'static str),
}

/// `cursor` and `limit`, which every list takes.
pub const LIMIT: Parameter = Parameter {
    name: "limit",
    about: "Page size: 20 where it is not given; above 100 it is taken as 100.",
    kind: ParameterKind::Limit,
};
pub const CURSOR: Parameter = Parameter {
    name: "cursor",
    about: "A `next_cursor` or `previous_cursor` of this list with the same filters.",
    kind: ParameterKind::Cursor,
};
pub const PAGE: &[Parameter] = &[LIMIT, CURSOR];

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
            ids: Vec::new(),
            parameters: &[],
            body: None,
            success: Success::Empty,
            refusals: &[],
            accepts: false,
            repeats: false,
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

    /// Marks what may answer before it is done.
    #[must_use]
    pub fn accepts(mut self) -> Self {
        self.accepts = true;
        self
    }

    /// Marks what answers 200 instead of 201 where it was done before.
    #[must_use]
    pub fn repeats(mut self) -> Self {
        self.repeats = true;
        self
    }

    /// Marks a GET that changes something. A HEAD must never act, so it is refused there.
    #[must_use]
    pub fn acts(mut self) -> Self {
        self.acts = true;
        self
    }

    /// Whether a HEAD of it is answered, as a GET without the body.
    pub fn has_head(&self) -> bool {
        self.method == Method::GET && !self.acts
    }

    /// Whether it may change something: then it takes an `Idempotency-Key`.
    pub fn writes(&self) -> bool {
        self.method != Method::GET && self.scope.is_some()
    }

    /// Whether it reads what the event log tells of: then it says where in the log that was.
    pub fn shows_state(&self) -> bool {
        let is_state = matches!(self.success, Success::Resource(_) | Success::List(..));
        self.method == Method::GET && self.scope.is_some() && is_state
    }

    /// The group in the documentation: the first step of the path.
    pub fn group(&self) -> &'static str {
        self.path.trim_start_matches('/').split('/').next().unwrap_or_default()
    }
}

/// Rows behind which is a protocol of its own; they are not part of the contract.
pub fn connections() -> Vec<Route> {
    connection::routes()
}

/// Every row of the contract.
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
        manifests::routes(),
        events::routes(),
        webhook_endpoints::routes(),
        access_tokens::routes(),
        oauth::routes(),
        files::routes(),
        system::routes(),
        docs::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The rows, found by path.
pub struct Table {
    routes: Vec<Route>,
    paths: matchit::Router<Vec<usize>>,
}

/// What a path and a method lead to.
pub enum Match<'a> {
    Route {
        place: usize,
        route: &'a Route,
        ids: Vec<String>,
    },
    /// The path is there, with other methods.
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

    /// Finds the row. HEAD is answered as GET, without a body, unless that acts.
    pub fn find(&self, method: &Method, path: &str) -> Match<'_> {
        let Ok(found) = self.paths.at(path) else { return Match::Nothing };
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
