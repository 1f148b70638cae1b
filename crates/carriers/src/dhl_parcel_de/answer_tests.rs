//! What DHL's answers mean when a task succeeds.

use model::shipping::shipment::TrackingStatus;
use serde_json::{Value, json};

use super::tests::{
    DELIVERED, NO_DATA, NUMBER, OTHER_NUMBER, PAKET, PDF, account, account_of_user, back, body, buying, done,
    export, made, orders, parcel, piece, pieces, receipt, refused, sent, shirts, two_packages, valid, xml_of,
};
use super::*;
use crate::conformance::{answer, day, ok};
use crate::{FileFormat, Label, Manifested, Parcel, Tracked};

/// A service, its price and its days.
type Row = (String, i64, Option<i64>);

fn quoted(parcel: &Parcel, answer: Answer) -> (Vec<Row>, Vec<String>) {
    match done(DhlParcelDe.resume(&account(), &Task::Rate(parcel), 1, answer)) {
        Outcome::Quoted(quotes) => {
            assert!(quotes.quotes.iter().all(|quote| quote.currency == "EUR"));
            let rows = quotes.quotes.into_iter();
            (
                rows.map(|quote| (quote.service, quote.amount, quote.delivery_days)).collect(),
                quotes.errors.into_iter().map(|error| error.message).collect(),
            )
        }
        other => panic!("{other:?}"),
    }
}

fn row(service: &str, amount: i64, days: Option<i64>) -> Row {
    (format!("dhl_parcel_de.{service}"), amount, days)
}

#[test]
fn prices_are_those_of_the_rate_card_for_what_dhl_would_sell() {
    let (rates, errors) = quoted(&parcel(&[]), answer(207, valid(2)));
    assert_eq!(rates, [row("paket", 419, Some(1)), row("kleinpaket", 319, Some(2))]);
    assert_eq!(errors, [""; 0]);
    // DHL refuses one of them, and warns of the other.
    let mut warned = refused("The house number could not be found.");
    warned["validationMessages"][0]["validationState"] = json!("Warning");
    let mixed = json!({"items": [warned, refused("The parcel is too long.")]});
    let (rates, errors) = quoted(&parcel(&[]), answer(207, &mixed));
    assert_eq!(rates, [row("paket", 419, Some(1))]);
    assert_eq!(errors, ["DHL Kleinpaket: consignee: The parcel is too long."]);
    let mut strict = account();
    strict.configuration.insert("must_encode".to_owned(), json!(true));
    let outcome = done(DhlParcelDe.resume(&strict, &Task::Rate(&parcel(&[])), 1, answer(207, mixed)));
    assert!(
        matches!(outcome, Outcome::Quoted(quotes) if quotes.quotes.is_empty() && quotes.errors.len() == 2)
    );
}

#[test]
fn a_price_is_that_of_the_day_of_mailing_and_of_each_package() {
    let (rates, _) = quoted(&two_packages(), answer(207, valid(2)));
    assert_eq!(rates, [row("paket", 419 + 749, Some(1))]);
    let heavy = |day: &str| {
        let details = super::tests::details(&[("/packages/0/geometry/mass", json!(1.5))]);
        Parcel::new(model::Id::from_bits(7), &details).shipped_on(model::Day::parse(day).unwrap())
    };
    assert_eq!(quoted(&heavy("2026-12-31"), ok(valid(1))).0, [row("paket", 419, Some(1))]);
    assert_eq!(quoted(&heavy("2027-01-01"), ok(valid(1))).0, [row("paket", 749, Some(1))]);
}

#[test]
fn a_service_without_a_price_says_so() {
    let (rates, errors) = quoted(&export(shirts()), answer(207, valid(4)));
    assert_eq!(rates, [row("paket_international", 1190 + 45, None)]);
    assert_eq!(errors.len(), 3);
    assert!(errors.iter().all(|error| error.contains("`rate_card`")), "{errors:?}");
    // Without a card, the dry run still says whether the account is let in.
    let mut bare = account();
    bare.configuration.remove("rate_card");
    let parcel = parcel(&[]);
    let outcome = done(DhlParcelDe.resume(&bare, &Task::Rate(&parcel), 1, answer(207, valid(2))));
    assert!(
        matches!(outcome, Outcome::Quoted(quotes) if quotes.quotes.is_empty() && quotes.errors.len() == 2)
    );
    let Outcome::Bought(receipt) =
        done(DhlParcelDe.resume(&bare, &buying(&parcel, PAKET), 1, ok(orders(json!([made(NUMBER)])))))
    else {
        panic!("not bought")
    };
    assert_eq!((receipt.charged, receipt.currency.as_str()), (0, ""), "the cost is unknown");
}

#[test]
fn a_return_is_priced_by_the_card_alone() {
    let Outcome::Quoted(quotes) = done(DhlParcelDe.begin(&account(), &Task::Rate(&back()))) else {
        panic!("not quoted")
    };
    let rates: Vec<_> = quotes.quotes.iter().map(|quote| (quote.service.as_str(), quote.amount)).collect();
    assert_eq!(rates, [("dhl_parcel_de.retoure", 399)]);
}

#[test]
fn a_purchase_has_a_number_and_a_label_for_each_package() {
    let bought = |parcel: &Parcel, service: &str, exchange, answer| match done(DhlParcelDe.resume(
        &account(),
        &buying(parcel, service),
        exchange,
        answer,
    )) {
        Outcome::Bought(receipt) => receipt,
        other => panic!("{other:?}"),
    };
    let one = bought(&parcel(&[]), PAKET, 1, ok(orders(json!([made(NUMBER)]))));
    assert_eq!((one.purchase.as_str(), one.charged, one.currency.as_str()), (NUMBER, 419, "EUR"));
    assert!(matches!(one.labels[..], [Label::File { format: FileFormat::Pdf, .. }]));
    let mut zpl = made(OTHER_NUMBER);
    zpl["label"] = json!({"zpl2": "^XA^XZ", "fileFormat": "ZPL2"});
    let two = bought(&two_packages(), PAKET, 2, answer(207, orders(json!([made(NUMBER), zpl]))));
    assert_eq!(two.purchase, format!("{NUMBER},{OTHER_NUMBER}"));
    assert_eq!((two.tracking_numbers.len(), two.charged), (2, 1168));
    assert!(matches!(two.labels[1], Label::File { format: FileFormat::Zpl, .. }));
    let mut bare = made(NUMBER);
    bare["label"] = Value::Null;
    assert_eq!(bought(&parcel(&[]), PAKET, 1, ok(orders(json!([bare])))).labels, []);
    let made = json!({"sstatus": {"title": "Created", "status": 201}, "shipmentNo": "999991587211", "label": {"b64": PDF}});
    let back = bought(&back(), "dhl_parcel_de.retoure", 1, answer(201, made));
    assert_eq!(
        (back.purchase.as_str(), back.tracking_numbers, back.charged, back.labels.len()),
        ("retoure:999991587211", vec!["999991587211".to_owned()], 399, 1)
    );
}

#[test]
fn labels_are_fetched_again_in_the_order_of_the_packages() {
    let receipt = receipt(&[NUMBER, OTHER_NUMBER]);
    let task = Task::Label { receipt: &receipt, format: LabelFormat::Zpl };
    let mut account = account();
    account.configuration.insert("print_format".to_owned(), json!("910-300-400"));
    let request = sent(DhlParcelDe.begin(&account, &task));
    assert_eq!(
        (request.method, request.url),
        (
            "GET",
            format!(
                "https://api-eu.dhl.com/parcel/de/shipping/v2/orders?shipment={NUMBER}&shipment={OTHER_NUMBER}&includeDocs=include\
                 &combine=false&docFormat=ZPL2&printFormat=910-300-400"
            )
        )
    );
    let of = |number: &str, zpl: &str| json!({"shipmentNo": number, "sstatus": {"statusCode": 200}, "label": {"zpl2": zpl}});
    let turned = json!([of(OTHER_NUMBER, "^XA2"), of(NUMBER, "^XA1")]);
    let labelled = |answer| done(DhlParcelDe.resume(&account, &task, 1, answer));
    let Outcome::Labelled(labels) = labelled(answer(207, orders(turned))) else { panic!("no labels") };
    let texts: Vec<&[u8]> = labels
        .iter()
        .map(|label| match label {
            Label::File { bytes, .. } => bytes.as_ref(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(texts, [b"^XA1", b"^XA2"]);
    let closed = json!([of(NUMBER, "^XA1"), {"shipmentNo": OTHER_NUMBER, "sstatus": {"statusCode": 400, "title": "Closed", "detail": "It is closed."}}]);
    assert!(
        matches!(labelled(answer(207, orders(closed))), Outcome::Rejected(error) if error.message.contains("It is closed."))
    );
    let back = super::Receipt { purchase: "retoure:999991587211".to_owned(), ..super::tests::receipt(&[]) };
    let step = DhlParcelDe.begin(&account, &Task::Label { receipt: &back, format: LabelFormat::Pdf });
    assert!(matches!(done(step), Outcome::Rejected(_)));
}

#[test]
fn labels_are_deleted_all_or_it_is_said_which_not() {
    let two = receipt(&[NUMBER, OTHER_NUMBER]);
    let task = Task::Void(&two);
    let request = sent(DhlParcelDe.begin(&account(), &task));
    assert_eq!(
        (request.method, request.url),
        (
            "DELETE",
            format!(
                "https://api-eu.dhl.com/parcel/de/shipping/v2/orders?profile=STANDARD_GRUPPENPROFIL&shipment={NUMBER}&shipment={OTHER_NUMBER}"
            )
        )
    );
    let voided = |items: Value| done(DhlParcelDe.resume(&account(), &task, 1, answer(207, orders(items))));
    let gone = |number: &str| json!({"shipmentNo": number, "sstatus": {"title": "OK", "statusCode": 200}});
    let unknown = |number: &str| json!({"shipmentNo": number, "sstatus": {"title": "UnknownShipmentNumber", "statusCode": 204, "detail": "Unknown shipment number."}});
    assert_eq!(voided(json!([gone(NUMBER), gone(OTHER_NUMBER)])), Outcome::Voided);
    assert!(matches!(
        voided(json!([gone(NUMBER), unknown(OTHER_NUMBER)])),
        Outcome::Rejected(error) if error.message.contains("1 of 2") && error.message.contains("Unknown shipment number.")
    ));
    assert!(matches!(voided(json!([gone(NUMBER)])), Outcome::Unsent { .. }), "it says nothing of the other");
    let back = super::Receipt { purchase: "retoure:999991587211".to_owned(), ..receipt(&[]) };
    assert!(matches!(done(DhlParcelDe.begin(&account(), &Task::Void(&back))), Outcome::Rejected(_)));
}

#[test]
fn parcels_are_closed_out_thirty_in_a_request() {
    let purchases: Vec<String> = (0..35).map(|number| format!("00{number}A,00{number}B")).collect();
    let task = Task::Manifest {
        reference: "mfst_1",
        named: None,
        purchases: &purchases,
        ship_on: day(),
        origin: None,
    };
    let closed = |request: &crate::Request| {
        let told = body(request);
        assert_eq!(told["profile"], "STANDARD_GRUPPENPROFIL");
        let numbers = told["shipmentNumbers"].as_array().cloned().unwrap();
        let items = numbers
            .iter()
            .map(|number| json!({"shipmentNo": number, "sstatus": {"title": "OK", "statusCode": 200}}));
        (numbers.len(), answer(207, json!({"items": items.collect::<Vec<_>>()})))
    };
    let mut request = sent(DhlParcelDe.begin(&account(), &task));
    assert_eq!(request.url, "https://api-eu.dhl.com/parcel/de/shipping/v2/manifests");
    let mut counts = Vec::new();
    let outcome = loop {
        let (count, answer) = closed(&request);
        counts.push(count);
        match DhlParcelDe.resume(&account(), &task, counts.len(), answer) {
            Step::Send(next) => request = next,
            Step::Done(outcome) => break outcome,
        }
    };
    assert_eq!(counts, [30, 30, 10]);
    assert_eq!(
        outcome,
        Outcome::Manifested(Manifested { manifest: "mfst_1".to_owned(), form: Some(Label::Ours) })
    );
    let too_many = vec!["001".to_owned(); manifest::PACKAGES_MAX + 1];
    let task =
        Task::Manifest { reference: "m", named: None, purchases: &too_many, ship_on: day(), origin: None };
    assert!(matches!(done(DhlParcelDe.begin(&account(), &task)), Outcome::Rejected(_)));
}

#[test]
fn parcels_that_were_closed_out_before_are_closed_and_others_are_named() {
    let purchases = [NUMBER.to_owned(), OTHER_NUMBER.to_owned()];
    let task = Task::Manifest {
        reference: "mfst_1",
        named: None,
        purchases: &purchases,
        ship_on: day(),
        origin: None,
    };
    let of = |code: u16, detail: &str| json!({"shipmentNo": NUMBER, "sstatus": {"title": "X", "statusCode": code, "detail": detail}});
    let closed =
        |items: Value| done(DhlParcelDe.resume(&account(), &task, 1, answer(207, json!({ "items": items }))));
    let before = of(400, "The shipment has already been manifested.");
    assert!(matches!(closed(json!([of(200, ""), before])), Outcome::Manifested(_)));
    assert!(matches!(
        closed(json!([of(200, ""), of(400, "Unknown shipment number.")])),
        Outcome::Rejected(error) if error.message.contains(NUMBER) && error.message.contains("Unknown")
    ));
    assert!(matches!(closed(json!([of(200, "")])), Outcome::Unsent { .. }));
}

#[test]
fn the_tracking_is_asked_with_a_user_of_its_own() {
    let receipt = receipt(&[NUMBER]);
    let request = sent(DhlParcelDe.begin(&account(), &Task::Track(&receipt)));
    assert!(
        request.url.starts_with("https://api-eu.dhl.com/parcel/de/tracking/v0/shipments?xml=%3C%3Fxml"),
        "{}",
        request.url
    );
    assert_eq!(
        xml_of(&request),
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?><data appname=\"the-tracking-user\" language-code=\"en\" \
             password=\"the-tracking-password\" piece-code=\"{NUMBER}\" request=\"d-get-piece-detail\"/>"
        )
    );
    // the-api-key:the-api-secret
    assert_eq!(
        super::tests::header(&request, "authorization"),
        Some("Basic dGhlLWFwaS1rZXk6dGhlLWFwaS1zZWNyZXQ=")
    );
    assert!(!DhlParcelDe.capabilities(&account_of_user()).can_track);
}

#[test]
fn the_codes_of_the_last_event_say_where_a_parcel_is() {
    let receipt = receipt(&[NUMBER]);
    let task = Task::Track(&receipt);
    let tracked = |body: String| match done(DhlParcelDe.resume(&account(), &task, 1, ok(body))) {
        Outcome::Tracked(tracked) => tracked,
        other => panic!("{other:?}"),
    };
    let expected = Tracked {
        status: TrackingStatus::Delivered,
        message: "Delivery successful & done".to_owned(),
        occurred_at: None,
    };
    assert_eq!(tracked(pieces(&[piece(NUMBER, "", DELIVERED)])), expected);
    for (ice, ric, event, status) in [
        ("PARCV", "NRQRD", "VA", TrackingStatus::PreTransit),
        ("PCKDU", "PUBCR", "AE", TrackingStatus::InTransit),
        ("LDTMV", "MVMTV", "AA", TrackingStatus::InTransit),
        ("SRTED", "NRQRD", "PO", TrackingStatus::OutForDelivery),
        ("CNRFC", "PCKST", "ZF", TrackingStatus::AvailableForPickup),
        ("HLDCC", "HDFCT", "LA", TrackingStatus::AvailableForPickup),
        ("NTDEL", "UDLVR", "ZN", TrackingStatus::InTransit),
        ("RETRN", "BDADD", "ZN", TrackingStatus::ReturnToSender),
        ("EXPHD", "LOSTX", "BV", TrackingStatus::Failure),
        ("DSPSD", "NTCLM", "ZU", TrackingStatus::Failure),
        ("CANCL", "NRQRD", "BV", TrackingStatus::Cancelled),
        ("ADVIS", "MSGST", "DD", TrackingStatus::Unknown),
    ] {
        let changes = format!("ice=\"{ice}\" ric=\"{ric}\" standard-event-code=\"{event}\"");
        assert_eq!(tracked(pieces(&[piece(NUMBER, "", &changes)])).status, status, "{ice} {ric} {event}");
    }
    let back =
        pieces(&[piece(NUMBER, "", DELIVERED)]).replace("ruecksendung=\"false\"", "ruecksendung=\"true\"");
    assert_eq!(tracked(back).status, TrackingStatus::ReturnToSender);
    assert_eq!(tracked(NO_DATA.to_owned()).status, TrackingStatus::Unknown);
    let login = "<data name=\"piece-shipment-list\" code=\"5\" error=\"Login failed\"/>";
    let outcome = done(DhlParcelDe.resume(&account(), &task, 1, ok(login)));
    assert!(
        matches!(&outcome, Outcome::Rejected(error) if error.code == ErrorCode::CredentialsInvalid),
        "{outcome:?}"
    );
}
