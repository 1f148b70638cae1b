//! What a USPS account needs: the credentials of an application at USPS, and who mails and pays.

use serde_json::{Map, Value, json};

use crate::Account;

const CREDENTIALS: [&str; 2] = ["client_id", "client_secret"];
/// The customer's registration, the mailer, the payment account, and the mailer of manifests if it is another one.
const REQUIRED: [&str; 3] = ["crid", "mid", "eps_account_number"];
const MANIFEST_MID: &str = "manifest_mid";
const CONFIGURATION: [&str; 4] = ["crid", "mid", "eps_account_number", MANIFEST_MID];

/// Checks the credentials and the configuration; else returns a sentence for the client that wrote them.
pub fn check(account: &Account) -> Result<(), String> {
    let is_text = |value: &Value| value.as_str().is_some_and(|text| !text.trim().is_empty());
    let is_number = |value: &Value| {
        value.as_str().is_some_and(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
    };
    for name in CREDENTIALS {
        if !account.credentials.get(name).is_some_and(is_text) {
            return Err(format!(
                "USPS needs `{name}` in the credentials: the one of your application at USPS."
            ));
        }
    }
    if let Some(name) = unknown(&account.credentials, &CREDENTIALS) {
        return Err(format!("USPS's credentials are `client_id` and `client_secret`; `{name}` is neither."));
    }
    if let Some(name) = unknown(&account.configuration, &CONFIGURATION) {
        return Err(format!(
            "USPS's configuration has `crid`, `mid`, `eps_account_number` and, if you like, `{MANIFEST_MID}`; `{name}` \
             is none of them."
        ));
    }
    for name in CONFIGURATION {
        let value = account.configuration.get(name);
        let is_right = value.map_or_else(|| !REQUIRED.contains(&name), is_number);
        if !is_right {
            return Err(format!("USPS needs `{name}` in the configuration, as a text of digits."));
        }
    }
    Ok(())
}

fn unknown<'a>(fields: &'a Map<String, Value>, known: &[&str]) -> Option<&'a str> {
    fields.keys().map(String::as_str).find(|name| !known.contains(name))
}

/// A credential's text.
pub fn credential<'a>(account: &'a Account, name: &str) -> &'a str {
    account.credentials.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn number<'a>(account: &'a Account, name: &str) -> &'a str {
    account.configuration.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The account that pays, as prices need it.
pub fn payment(account: &Account) -> Value {
    json!({"accountType": "EPS", "accountNumber": number(account, "eps_account_number")})
}

/// The parts that the account has in a label.
const ROLES: [&str; 2] = ["PAYER", "LABEL_OWNER"];
const RETURN_ROLES: [&str; 4] = ["PAYER", "LABEL_OWNER", "RETURN_LABEL_PAYER", "RETURN_LABEL_OWNER"];

/// Who owns a label, and who pays for it.
pub fn roles(account: &Account, is_return: bool) -> Value {
    let manifest = account.configuration.get(MANIFEST_MID).and_then(Value::as_str);
    let role = |name: &str| {
        json!({
            "roleName": name,
            "CRID": number(account, "crid"),
            "MID": number(account, "mid"),
            "manifestMID": manifest.unwrap_or_else(|| number(account, "mid")),
            "accountType": "EPS",
            "accountNumber": number(account, "eps_account_number"),
        })
    };
    let names: &[&str] = if is_return { &RETURN_ROLES } else { &ROLES };
    let roles: Vec<Value> = names.iter().copied().map(role).collect();
    json!({"roles": roles})
}
