//! The route table: routes with their handlers, found by path and method.

use std::future::Future;
use std::pin::Pin;

use http::Method;
use model::{Error, Result};

use crate::access::call::Call;
use crate::access::route::Route;
use crate::platform::path::without_slash;
use crate::platform::response::Response;

type Handler = Box<dyn Fn(Call) -> Pin<Box<dyn Future<Output = Result<Response>> + Send>> + Send + Sync>;

/// A route with the handler that answers its requests.
pub struct HandledRoute {
    pub route: Route,
    pub handler: Handler,
}

impl Route {
    /// Adds the handler that answers requests to this route.
    pub fn to<F, R>(self, handler: F) -> HandledRoute
    where
        F: Fn(Call) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Response>> + Send + 'static,
    {
        // The unit tests of this crate read routes and call none. Without this line their program would contain every
        // operation of the service once more, which takes minutes to compile.
        #[cfg(test)]
        let handler = {
            let _ = handler;
            |_| std::future::ready(Err::<Response, _>(Error::fault("a unit test called a handler")))
        };
        HandledRoute { route: self, handler: Box::new(move |call| Box::pin(handler(call))) }
    }
}

/// The routes, indexed by path.
pub struct Table {
    routes: Vec<HandledRoute>,
    paths: matchit::Router<Vec<usize>>,
}

/// The result of looking up a path and a method.
pub enum Match<'a> {
    Route {
        place: usize,
        route: &'a HandledRoute,
        ids: Vec<String>,
    },
    /// The path exists, with other methods.
    OtherMethods(String),
    Nothing,
}

impl Table {
    pub fn new(routes: Vec<HandledRoute>) -> Result<Self> {
        let mut by_path: Vec<(&'static str, Vec<usize>)> = Vec::new();
        for (place, HandledRoute { route, .. }) in routes.iter().enumerate() {
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

    pub fn routes(&self) -> &[HandledRoute] {
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
        if let Some((place, route)) = rows.clone().find(|(_, row)| is_wanted(&row.route)) {
            let ids = found.params.iter().map(|(_, value)| value.to_owned()).collect();
            return Match::Route { place, route, ids };
        }
        let mut methods: Vec<&str> = rows.clone().map(|(_, row)| row.route.method.as_str()).collect();
        if rows.clone().any(|(_, row)| row.route.has_head()) {
            methods.push("HEAD");
        }
        methods.push("OPTIONS");
        Match::OtherMethods(methods.join(", "))
    }
}
