//! What a DHL account needs: the key of an application at DHL, a user of the business customer portal, and the numbers on which
//! products are billed.

use model::places::address::PostalAddress;
use model::platform::money::{AMOUNT_MAX, decimals};
use model::{CountryCode, Day};
use serde_json::{Map, Value};

use super::services::{BILLED, Service, handles};
use crate::Account;
use crate::rate_card::{Lane, RATE_CARD, RateCard};

const API_KEY: &str = "api_key";
const API_SECRET: &str = "api_secret";
const USERNAME: &str = "username";
const PASSWORD: &str = "password";
const TRACKING_USERNAME: &str = "tracking_username";
const TRACKING_PASSWORD: &str = "tracking_password";
const REQUIRED: [&str; 3] = [API_KEY, USERNAME, PASSWORD];
const CREDENTIALS: [&str; 6] =
    [API_KEY, USERNAME, PASSWORD, API_SECRET, TRACKING_USERNAME, TRACKING_PASSWORD];

const BILLING_NUMBERS: &str = "billing_numbers";
const PROFILE: &str = "profile";
const RECEIVERS: &str = "return_receiver_ids";
const MUST_ENCODE: &str = "must_encode";
const PRINT_FORMAT: &str = "print_format";
const POSTAL_CHARGES: &str = "postal_charges";
const CONFIGURATION: [&str; 7] =
    [BILLING_NUMBERS, PROFILE, RECEIVERS, MUST_ENCODE, PRINT_FORMAT, POSTAL_CHARGES, RATE_CARD];

/// The group of users that every business customer has.
const STANDARD_PROFILE: &str = "STANDARD_GRUPPENPROFIL";
const PROFILE_CHARS: usize = 35;
const BILLING_CHARS: usize = 14;
const RECEIVER_CHARS: usize = 50;
/// What DHL prints on.
const PRINT_FORMATS: [&str; 11] = [
    "A4",
    "910-300-600",
    "910-300-610",
    "910-300-700",
    "910-300-700-oz",
    "910-300-710",
    "910-300-300",
    "910-300-300-oz",
    "910-300-400",
    "910-300-410",
    "100x70mm",
];

/// Checks the credentials and the configuration; else returns a sentence for the client that wrote them.
pub fn check(account: &Account) -> Result<(), String> {
    check_credentials(account)?;
    if let Some(name) = unknown(&account.configuration, &CONFIGURATION) {
        let known = CONFIGURATION.map(|name| format!("`{name}`")).join(", ");
        return Err(format!("DHL's configuration has {known}; `{name}` is none of them."));
    }
    check_billing_numbers(account)?;
    check_receivers(account)?;
    if map(account, BILLING_NUMBERS).is_empty() && map(account, RECEIVERS).is_empty() {
        return Err(format!(
            "DHL needs `{BILLING_NUMBERS}` in the configuration: a number for each product of your contract, such as \
             `{{\"V01PAK\": \"33333333330102\"}}`."
        ));
    }
    check_settings(account)?;
    RateCard::read(account, &handles()).map(drop)
}

fn check_credentials(account: &Account) -> Result<(), String> {
    // They go into headers, which have no room for line breaks.
    let is_text = |value: &Value| {
        value.as_str().is_some_and(|text| !text.trim().is_empty() && !text.chars().any(char::is_control))
    };
    if let Some(name) = unknown(&account.credentials, &CREDENTIALS) {
        let known = CREDENTIALS.map(|name| format!("`{name}`")).join(", ");
        return Err(format!("DHL's credentials are {known}; `{name}` is none of them."));
    }
    for name in CREDENTIALS {
        let is_right = account.credentials.get(name).map_or(!REQUIRED.contains(&name), is_text);
        if !is_right {
            return Err(format!("DHL needs `{name}` in the credentials, as a text."));
        }
    }
    let has = |name| account.credentials.contains_key(name);
    if !credential(account, API_KEY).bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(format!("`{API_KEY}` must be the key as DHL shows it, without spaces."));
    }
    if has(TRACKING_USERNAME) != has(TRACKING_PASSWORD) || has(TRACKING_USERNAME) && !has(API_SECRET) {
        return Err(format!(
            "DHL's tracking needs `{TRACKING_USERNAME}`, `{TRACKING_PASSWORD}` and `{API_SECRET}` together."
        ));
    }
    Ok(())
}

fn check_billing_numbers(account: &Account) -> Result<(), String> {
    ensure_map(account, BILLING_NUMBERS)?;
    for (product, number) in map(account, BILLING_NUMBERS) {
        let Some((_, digits)) = BILLED.iter().find(|(known, _)| known == product) else {
            let known = BILLED.iter().map(|(known, _)| *known).collect::<Vec<_>>().join(", ");
            return Err(format!(
                "`{BILLING_NUMBERS}`: there is no product {product}. The products are {known}."
            ));
        };
        let is_number = number.as_str().is_some_and(|number| {
            number.len() == BILLING_CHARS
                && number.bytes().all(|byte| byte.is_ascii_alphanumeric())
                && number[10..12] == **digits
        });
        if !is_number {
            return Err(format!(
                "`{BILLING_NUMBERS}`: the number of {product} must be a text of {BILLING_CHARS} digits, of which the 11th and \
                 12th are {digits}."
            ));
        }
    }
    Ok(())
}

fn check_receivers(account: &Account) -> Result<(), String> {
    ensure_map(account, RECEIVERS)?;
    for (country, receiver) in map(account, RECEIVERS) {
        let is_receiver = receiver.as_str().is_some_and(|receiver| {
            !receiver.trim().is_empty() && receiver.chars().count() <= RECEIVER_CHARS
        });
        if CountryCode::parse(country).is_none() || !is_receiver {
            return Err(format!(
                "`{RECEIVERS}` must map the customers' countries to receivers at DHL, such as `{{\"DE\": \"deu\"}}`."
            ));
        }
    }
    Ok(())
}

fn check_settings(account: &Account) -> Result<(), String> {
    let given = |name: &str| account.configuration.get(name).filter(|value| !value.is_null());
    let is_profile = |value: &Value| {
        value.as_str().is_some_and(|text| !text.trim().is_empty() && text.chars().count() <= PROFILE_CHARS)
    };
    if given(PROFILE).is_some_and(|value| !is_profile(value)) {
        return Err(format!(
            "`{PROFILE}` must be a group of users at DHL. Leave it out for `{STANDARD_PROFILE}`."
        ));
    }
    if given(MUST_ENCODE).is_some_and(|value| !value.is_boolean()) {
        return Err(format!("`{MUST_ENCODE}` must be `true` or `false`."));
    }
    let is_format = |value: &Value| value.as_str().is_some_and(|text| PRINT_FORMATS.contains(&text));
    if given(PRINT_FORMAT).is_some_and(|value| !is_format(value)) {
        return Err(format!("`{PRINT_FORMAT}` must be one of {}.", PRINT_FORMATS.join(", ")));
    }
    ensure_map(account, POSTAL_CHARGES)?;
    let is_charge = |(currency, amount): (&String, &Value)| {
        decimals(currency).is_some()
            && amount.as_i64().is_some_and(|amount| (0..=AMOUNT_MAX).contains(&amount))
    };
    if !map(account, POSTAL_CHARGES).iter().all(is_charge) {
        return Err(format!(
            "`{POSTAL_CHARGES}` must map currencies to amounts in their smallest unit, such as `{{\"EUR\": 490}}`."
        ));
    }
    Ok(())
}

fn ensure_map(account: &Account, name: &str) -> Result<(), String> {
    match account.configuration.get(name) {
        None | Some(Value::Null | Value::Object(_)) => Ok(()),
        Some(_) => Err(format!("`{name}` must be an object.")),
    }
}

fn unknown<'a>(fields: &'a Map<String, Value>, known: &[&str]) -> Option<&'a str> {
    fields.keys().map(String::as_str).find(|name| !known.contains(name))
}

fn map<'a>(account: &'a Account, name: &str) -> &'a Map<String, Value> {
    static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    account.configuration.get(name).and_then(Value::as_object).unwrap_or(&NONE)
}

fn credential<'a>(account: &'a Account, name: &str) -> &'a str {
    account.credentials.get(name).and_then(Value::as_str).unwrap_or_default()
}

pub fn api_key(account: &Account) -> &str {
    credential(account, API_KEY)
}

/// The secret of the application. With it, access tokens are asked for; without it, each request has the user and the password.
pub fn api_secret(account: &Account) -> Option<&str> {
    Some(credential(account, API_SECRET)).filter(|secret| !secret.is_empty())
}

/// The user of the business customer portal, and the password.
pub fn user(account: &Account) -> (&str, &str) {
    (credential(account, USERNAME), credential(account, PASSWORD))
}

/// The user who may track parcels, and the password.
pub fn tracking_user(account: &Account) -> Option<(&str, &str)> {
    let pair = (credential(account, TRACKING_USERNAME), credential(account, TRACKING_PASSWORD));
    Some(pair).filter(|(name, password)| !name.is_empty() && !password.is_empty())
}

/// The application and the user with which parcels are tracked, if the account may track.
pub fn can_track(account: &Account) -> bool {
    api_secret(account).is_some() && tracking_user(account).is_some()
}

/// The number on which a service is billed, if the contract has it.
pub fn billing_number<'a>(account: &'a Account, service: &Service) -> Option<&'a str> {
    map(account, BILLING_NUMBERS).get(service.product).and_then(Value::as_str)
}

/// The receiver of returns from customers in this country, if there is one.
pub fn receiver(account: &Account, country: CountryCode) -> Option<&str> {
    map(account, RECEIVERS).get(country.as_str()).and_then(Value::as_str)
}

/// The group of users whose billing numbers may be used.
pub fn profile(account: &Account) -> &str {
    account.configuration.get(PROFILE).and_then(Value::as_str).unwrap_or(STANDARD_PROFILE)
}

/// Whether DHL is to refuse addresses that it can't route.
pub fn must_encode(account: &Account) -> bool {
    account.configuration.get(MUST_ENCODE).and_then(Value::as_bool).unwrap_or_default()
}

/// The paper of labels whose shipment names none.
pub fn print_format(account: &Account) -> Option<&str> {
    account.configuration.get(PRINT_FORMAT).and_then(Value::as_str)
}

/// The postage that customers are charged, in the smallest unit of a currency. Customs count it with the goods.
pub fn postal_charge(account: &Account, currency: &str) -> i64 {
    map(account, POSTAL_CHARGES).get(currency).and_then(Value::as_i64).unwrap_or_default()
}

/// Returns what packages cost by the account's rate card: the amount, its currency, and the days until delivery. `None` if the card has
/// no price for one of them, or if there is no card.
pub fn price(
    account: &Account,
    service: &Service,
    to: &PostalAddress,
    ship_on: Option<Day>,
    grams: &[i64],
) -> Option<(i64, String, Option<i64>)> {
    let card = RateCard::read(account, &handles()).ok()??;
    let total = card.total(service.handle, Lane { to, ship_on }, grams.iter().copied())?;
    Some((total.amount, card.currency_code, total.delivery_days))
}
