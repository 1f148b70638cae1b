//! Revocations of access tokens: `DELETE /access_tokens/{access_token_id}`. They end event streams, so they belong to
//! events.

use model::Result;
use model::access::access_token::ID;
use service::events::revocations::Children;

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::parameter::{Parameter, ParameterKind};
use crate::platform::response::Response;

const KEEP_CHILDREN: Parameter = Parameter {
    name: "keep_children",
    about: "`true` keeps the tokens that this one made. They then belong to the token that made this one: revoking that one revokes them. Tokens traded for this one at `/oauth/token` go with it in any case.",
    kind: ParameterKind::Flag,
};
const REVOKE_ABOUT: &str = "At once on this node, within two seconds on others. With it go the tokens that it made, and those that they made; `Dockside-Revoked` names all of them. You can revoke tokens with no more scopes than yours, your own included; another one is refused with 403.";

pub fn routes() -> Vec<HandledRoute> {
    vec![
        Route::delete(
            "/access_tokens/{access_token_id}",
            Access::scope("access_tokens:write"),
            "delete_access_token",
            "Revoke an access token",
        )
        .about(REVOKE_ABOUT)
        .id(&ID)
        .parameters(const { &[KEEP_CHILDREN] })
        .success(Success::Revoked)
        .to(delete_access_token),
    ]
}

async fn delete_access_token(call: Call) -> Result<Response> {
    let id = call.id()?;
    let children = if call.query.flag(KEEP_CHILDREN.name)? { Children::Keep } else { Children::Revoke };
    let reply = call.service().revocations.revoke(call.command()?, id, children).await?;
    respond::reply(&call, reply)
}
