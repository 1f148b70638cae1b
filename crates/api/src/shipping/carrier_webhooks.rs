//! `/carrier_accounts/{carrier_account_id}/webhook`: receives carriers' messages. They carry no access token: the
//! signature over the raw bytes authenticates them.

use http::{HeaderName, StatusCode};
use model::shipping::carrier::CARRIER_ACCOUNT_ID;
use model::{Code, Id, Result};

use crate::access::call::Call;
use crate::access::route::{Access, Body, Route};
use crate::access::table::HandledRoute;
use crate::platform::response::{Body as ResponseBody, Response};

/// The largest message of a carrier, in bytes.
const MESSAGE_BYTES_MAX: usize = 1024 * 1024;
const SIGNATURE: HeaderName = HeaderName::from_static("x-hmac-signature");

pub fn routes() -> Vec<HandledRoute> {
    vec![
        Route::post("/carrier_accounts/{carrier_account_id}/webhook", Access::Public, "create_carrier_message", "Take a carrier's message")
        .about("For EasyPost, not for you: put this address and a secret into its webhooks, and the secret into the account's credentials as `webhook_secret`. A message is believed by its `X-Hmac-Signature`, and taken once.")
        .id(&CARRIER_ACCOUNT_ID)
        .body(Body::Raw { bytes_max: MESSAGE_BYTES_MAX })
        .refusals(&[Code::InvalidSignature, Code::CarrierMessageInvalid, Code::StoreUnavailable])
            .to(create_carrier_message),
    ]
}

async fn create_carrier_message(call: Call) -> Result<Response> {
    // A malformed id gets the same answer as an unknown one, so that a caller learns nothing from it.
    let account = call.ids.first().and_then(|text| Id::parse(text));
    let signature = call.headers.get(SIGNATURE).and_then(|value| value.to_str().ok());
    call.service().carrier_webhooks.take_carrier_message(account, signature, call.body.clone()).await?;
    let mut response = http::Response::new(ResponseBody::default());
    *response.status_mut() = StatusCode::NO_CONTENT;
    Ok(response)
}
