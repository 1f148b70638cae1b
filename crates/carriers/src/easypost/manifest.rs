//! Scan forms: EasyPost's close-out, one document under which a carrier takes many parcels at once.
//!
//! EasyPost stores no reference of ours with a form, but a parcel is in one form at most and names it. So the first parcel is
//! read before a form is requested: it names the form of an earlier request whose answer was lost.

use serde_json::json;

use super::answer::{Purpose, Shipment, read};
use super::http::request;
use super::scan_form::{ScanForm, rejected};
use crate::{Account, Answer, Outcome, Step};

/// Looks at the first parcel.
pub fn begin(account: &Account, purchases: &[String]) -> Step {
    match purchases.first() {
        Some(first) => Step::Send(request(account, "GET", &format!("/shipments/{first}"), None)),
        None => Step::Done(rejected("There is nothing to close out.".to_owned())),
    }
}

/// Returns the next step: read the existing form, or request a new one. If EasyPost then says that there is one, the parcel is
/// read again.
pub fn resume(account: &Account, purchases: &[String], exchange: usize, answer: Answer) -> Step {
    let is_look = matches!(exchange, 1 | 3);
    if !is_look {
        return match read::<ScanForm>(answer, Purpose::Manifesting) {
            Ok(form) => Step::Done(form.outcome(purchases.len())),
            // Another client of the account closed them out first, or an earlier attempt did and its answer was lost.
            Err(Outcome::Rejected(error)) if exchange == 2 && error.message.contains("already") => {
                begin(account, purchases)
            }
            Err(outcome) => Step::Done(outcome),
        };
    }
    let shipment = match Shipment::read(answer, Purpose::Manifesting) {
        Ok(shipment) => shipment,
        Err(outcome) => return Step::Done(outcome),
    };
    match shipment.scan_form.filter(ScanForm::is_standing) {
        Some(form) => Step::Send(request(account, "GET", &format!("/scan_forms/{}", form.id), None)),
        None if exchange == 1 => {
            let shipments: Vec<_> = purchases.iter().map(|name| json!({ "id": name })).collect();
            Step::Send(request(account, "POST", "/scan_forms", Some(json!({ "shipments": shipments }))))
        }
        None => Step::Done(rejected(
            "EasyPost says that some of these parcels were closed out already, and shows no form of the first."
                .to_owned(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use model::Id;
    use model::shipping::shipment::{ErrorType, Source};
    use serde_json::{Map, Value};

    use super::super::EasyPost;
    use super::*;
    use crate::conformance::day;
    use crate::{Connector as _, FileFormat, Label, Manifested, Request, Task};

    fn account() -> Account {
        let credentials = json!({"api_key": "EZTKtest"}).as_object().cloned().unwrap_or_default();
        Account::new(Id::from_bits(1), Map::new(), credentials)
    }

    /// Closes out two parcels while EasyPost says this, one answer after the other; gives what was sent, and the end.
    fn close_out(answers: &[(u16, Value)]) -> (Vec<String>, Option<Outcome>) {
        let purchases = ["shp_1".to_owned(), "shp_2".to_owned()];
        let task = Task::Manifest {
            reference: "mf_1",
            named: None,
            purchases: &purchases,
            ship_on: day(),
            origin: None,
        };
        let show = |request: &Request| {
            assert!(!request.is_purchase);
            let path = request.url.trim_start_matches("https://api.easypost.com/v2");
            format!("{} {path} {}", request.method, String::from_utf8_lossy(&request.body)).trim().to_owned()
        };
        let mut sent = Vec::new();
        let mut step = EasyPost.begin(&account(), &task);
        for (place, (status, body)) in answers.iter().enumerate() {
            match step {
                Step::Send(request) => sent.push(show(&request)),
                Step::Done(outcome) => return (sent, Some(outcome)),
            }
            let body = Bytes::from(body.to_string());
            let answer = Answer::Response { status: *status, retry_after: None, body };
            step = EasyPost.resume(&account(), &task, place + 1, answer);
        }
        match step {
            Step::Done(outcome) => (sent, Some(outcome)),
            Step::Send(request) => {
                sent.push(show(&request));
                (sent, None)
            }
        }
    }

    fn form(status: &str, codes: &[&str]) -> Value {
        let url = (status == "created").then_some("https://files.example.com/form.pdf");
        json!({"id": "sf_1", "status": status, "message": null, "tracking_codes": codes, "form_url": url})
    }

    fn parcel(form: Value) -> (u16, Value) {
        (200, json!({"id": "shp_1", "scan_form": form}))
    }

    const NEW: &str = r#"POST /scan_forms {"shipments":[{"id":"shp_1"},{"id":"shp_2"}]}"#;
    const LOOK: &str = "GET /shipments/shp_1";

    fn words(outcome: Option<Outcome>) -> String {
        match outcome {
            Some(Outcome::Rejected(error)) => {
                assert_eq!((error.r#type, error.source), (ErrorType::Manifest, Source::Carrier));
                error.message
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_form_is_asked_for_where_there_is_none() {
        let (sent, outcome) = close_out(&[parcel(Value::Null), (200, form("created", &["1", "2"]))]);
        assert_eq!(sent, [LOOK, NEW]);
        let form =
            Some(Label::At { format: FileFormat::Pdf, url: "https://files.example.com/form.pdf".to_owned() });
        let expected = Outcome::Manifested(Manifested { manifest: "sf_1".to_owned(), form });
        assert_eq!(outcome, Some(expected));
    }

    #[test]
    fn asked_again_the_form_that_there_is_tells() {
        let there = parcel(form("creating", &[]));
        let (sent, outcome) = close_out(&[there.clone(), (200, form("creating", &[]))]);
        assert_eq!(sent, [LOOK, "GET /scan_forms/sf_1"]);
        assert_eq!(outcome, Some(Outcome::Manifesting("sf_1".to_owned())));
        let (sent, outcome) = close_out(&[there, (200, form("created", &["1", "2"]))]);
        assert_eq!(sent.len(), 2);
        assert!(matches!(outcome, Some(Outcome::Manifested(_))), "{outcome:?}");
    }

    #[test]
    fn a_form_that_another_client_made_meanwhile_is_looked_up() {
        let refused =
            (422, json!({"error": {"code": "X", "message": "Shipments have already been manifested."}}));
        let (sent, outcome) = close_out(&[
            parcel(Value::Null),
            refused.clone(),
            parcel(form("created", &["1", "2"])),
            (200, form("created", &["1", "2"])),
        ]);
        assert_eq!(sent, [LOOK, NEW, LOOK, "GET /scan_forms/sf_1"]);
        assert!(matches!(outcome, Some(Outcome::Manifested(_))), "{outcome:?}");
        // Where nothing is to be seen, it is not asked for a third time.
        let (sent, outcome) = close_out(&[parcel(Value::Null), refused, parcel(Value::Null)]);
        assert_eq!(sent, [LOOK, NEW, LOOK]);
        assert!(words(outcome).contains("closed out already"));
    }

    #[test]
    fn a_form_of_other_parcels_is_not_ours() {
        let other = form("created", &["1", "7", "8"]);
        let (_, outcome) = close_out(&[parcel(other.clone()), (200, other)]);
        assert!(words(outcome).contains("3 parcels in the scan form sf_1, not these 2"));
    }

    #[test]
    fn a_form_that_failed_says_why_and_may_be_asked_for_again() {
        let mut failed = form("failed", &[]);
        failed["message"] = json!("USPS received too many requests");
        let (sent, outcome) = close_out(&[parcel(failed.clone()), (200, failed)]);
        assert_eq!(sent, [LOOK, NEW]);
        assert_eq!(words(outcome), "USPS received too many requests");
        let refused = (
            422,
            json!({"error": {"code": "SCAN_FORM.CREATE.CARRIER_NOT_SUPPORTED",
            "message": "Unable to create a ScanForm from shipments bought from this carrier."}}),
        );
        let (_, outcome) = close_out(&[parcel(Value::Null), refused]);
        assert!(words(outcome).contains("from this carrier"));
    }

    #[test]
    fn silence_is_asked_into_again_and_nothing_is_nothing() {
        for answer in [(503, json!({})), (423, json!({}))] {
            let (_, outcome) = close_out(&[parcel(Value::Null), answer]);
            assert!(matches!(outcome, Some(Outcome::Unsent { .. })), "{outcome:?}");
        }
        let task =
            Task::Manifest { reference: "mf_1", named: None, purchases: &[], ship_on: day(), origin: None };
        assert!(matches!(EasyPost.begin(&account(), &task), Step::Done(Outcome::Rejected(_))));
    }
}
