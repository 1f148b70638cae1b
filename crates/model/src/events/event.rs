//! Events: the changes of an owner's resources, in the order of their commits. Webhooks, streams and the API read the
//! same log.

use serde_json::Value;

use crate::Scopes;
use crate::events::actor::ACTOR;
use crate::platform::id::{BODY_CHARS, Kind as IdKind, is_identifier};
use crate::platform::shape::{Field, Kind, Pattern, Shape};

/// An event as an operation appends it. Also the marker type of event ids.
pub struct Event {
    /// `noun.verb`, such as `location.created`.
    pub r#type: &'static str,
    /// The id of the resource that changed.
    pub resource_id: String,
    /// The resource after the change, as JSON text. For a deletion, the resource before it.
    pub object: String,
    /// The fields that an update changed, with their previous values, as JSON text.
    pub previous_attributes: Option<String>,
}

impl IdKind for Event {
    const PREFIX: &'static str = "evt";
}

impl Event {
    /// Creates an event for a creation, a deletion or a change of state.
    pub fn new(r#type: &'static str, resource_id: impl ToString, object: &str) -> Self {
        Self {
            r#type,
            resource_id: resource_id.to_string(),
            object: object.to_owned(),
            previous_attributes: None,
        }
    }

    /// Returns the event with the changed fields and their previous values.
    #[must_use]
    pub fn changed_from(mut self, previous_attributes: Value) -> Self {
        self.previous_attributes = Some(previous_attributes.to_string());
        self
    }
}

macro_rules! types {
    ($($name:literal $meaning:literal;)*) => {
        /// All types of events, with their meanings.
        pub const TYPES: &[(&str, &str)] = &[$(($name, $meaning)),*];
        /// The values that a listener may subscribe to: `*` for all types, or single types.
        pub const SUBSCRIPTIONS: [&str; TYPES.len() + 1] = ["*", $($name),*];
        /// The list of types for the documentation.
        const TYPE_ABOUT: &str = concat!("What happened to what.\n", $("\n- `", $name, "`: ", $meaning),*);
    };
}

types! {
    "location.created" "A location was created.";
    "location.updated" "A location was changed.";
    "location.deleted" "A location was deleted.";
    "location_configuration.created" "A location configuration was created.";
    "location_configuration.updated" "A location configuration was changed.";
    "location_configuration.deleted" "A location configuration was deleted.";
    "inventory_item.created" "An inventory item was created.";
    "inventory_item.updated" "An inventory item was changed.";
    "inventory_item.deleted" "An inventory item was deleted.";
    "inventory.updated" "The stock of an item at a location changed.";
    "order.created" "An order was created.";
    "order.updated" "An order was changed.";
    "order.committed" "An order was committed, and its items are reserved.";
    "order.cancelled" "An order was cancelled.";
    "order.fulfilled" "The last of an order was completed.";
    "order.deleted" "An order was deleted.";
    "order.held" "An order was put on hold: it is not planned until it is released.";
    "order.released" "An order is no longer on hold.";
    "order.exception_raised" "An order got an exception that a person should look at.";
    "order.exception_resolved" "A person resolved an exception of an order.";
    "reservation.created" "The items of an order are reserved.";
    "reservation.updated" "What an order reserves, or how much of it is allocated, changed.";
    "reservation.deleted" "The items of an order are not reserved any more.";
    "allocation.created" "Items of an order were assigned to a location.";
    "allocation.updated" "An allocation was changed.";
    "allocation.completed" "The items of an allocation have left.";
    "allocation.reopened" "The shipment that completed an allocation was voided, so the allocation is open again.";
    "allocation.deleted" "An allocation was taken back.";
    "package_type.created" "A package type was created.";
    "package_type.updated" "A package type was changed.";
    "package_type.deleted" "A package type was deleted.";
    "shipment.created" "A shipment was created.";
    "shipment.updated" "A shipment was changed, or its purchase began, or it got a label.";
    "shipment.rated" "Carriers said what they would take a shipment for.";
    "shipment.purchased" "A shipment was bought.";
    "shipment.purchase_failed" "A shipment was not bought; its errors say why.";
    "shipment.voided" "A carrier took a shipment back.";
    "shipment.packed" "Scans have counted the last unit of a shipment. Told again if a scan is undone and the shipment becomes complete once more.";
    "shipment.handed_over" "The carrier has a shipment, as a manifest, tracking or a request says.";
    "shipment.deleted" "A shipment was deleted.";
    "tracking.updated" "A shipment has come further on its way.";
    "purchase_attempt.needs_review" "It is unknown whether a shipment was bought: a person must check with the carrier.";
    "purchase_attempt.resolved" "A person said what became of a purchase whose outcome was unknown.";
    "batch.created" "A batch was created.";
    "batch.updated" "A batch was changed, or some of its shipments; while it is purchased, told of now and then.";
    "batch.purchase_started" "A batch began to be purchased.";
    "batch.purchased" "All of a batch was purchased: it is finalised.";
    "batch.purchase_failed" "Some of a batch was not purchased, or nothing of it; its errors say why.";
    "batch.labels_ready" "The last label that a carrier delivered late is there: no label of the batch is pending.";
    "batch.labels_created" "The labels of a batch are there, in one file too.";
    "batch.manifested" "The shipments of a batch were manifested.";
    "batch.deleted" "A batch was deleted; its shipments were not.";
    "manifest.created" "A carrier took a manifest.";
    "manifest.failed" "A carrier did not take a manifest; its messages say why.";
    "shipping_rule.created" "A shipping rule was created.";
    "shipping_rule.updated" "A shipping rule was changed, or moved to another position.";
    "shipping_rule.deleted" "A shipping rule was deleted.";
    "printer.created" "A printer was created.";
    "printer.updated" "A printer was changed.";
    "printer.deleted" "A printer was deleted.";
    "print_job.created" "A print job was made, and waits for its turn.";
    "print_job.updated" "A print job is sent, printed, failed, uncertain, cancelled, or waits for another try.";
    "wave.created" "A wave was started, and waits for its turn.";
    "wave.updated" "A wave began, came further, is tried again or is to end; told at most four times a second.";
    "wave.completed" "All orders of a wave were processed; its exceptions say which were not, and why.";
    "import.created" "An import was made.";
    "import.updated" "An import got its file, began, or came further; told at most four times a second.";
    "import.completed" "All rows of an import were read; its counts say what came of them.";
    "import.failed" "An import ended early; its error says why. Rows before that stay.";
    "import.cancelled" "An import was ended by a request, or got no file within 24 hours. Rows before that stay.";
    "wave.cancelled" "A wave was ended before all of its orders were processed. What exists stays.";
    "user.created" "A user was invited.";
    "user.updated" "A user was changed, enabled again, or has set a password.";
    "user.disabled" "A user was disabled: their sessions and access tokens work no more.";
    "user.deleted" "A user was deleted, with their sessions and access tokens.";
    "passkey.created" "A user added a passkey, with which they can sign in from now on.";
    "passkey.deleted" "A passkey was deleted, and can't be used to sign in any more.";
    "role.created" "A role was created.";
    "role.updated" "A role was changed, and with it what its users may do.";
    "role.deleted" "A role was deleted.";
    "organisation.updated" "What the organisation has set was changed, or its branding.";
    "webhook_endpoint.disabled" "A webhook endpoint was switched off, because it failed for too long or asked for it.";
}

/// Returns whether the type is in the catalogue.
pub fn is_known(r#type: &str) -> bool {
    TYPES.iter().any(|(known, _)| *known == r#type)
}

/// Returns the resource of an event type, by its name in scopes and channels. A token that may read the resource may
/// see the event in the log, in a stream, and through a webhook endpoint. Returns `None` for types that are in no
/// stream.
pub fn resource_of(r#type: &str) -> Option<&'static str> {
    let (noun, _) = r#type.split_once('.')?;
    Some(match noun {
        "location" => "locations",
        "location_configuration" => "location_configurations",
        "order" => "orders",
        "inventory" | "inventory_item" => "inventory",
        "reservation" => "reservations",
        "allocation" => "allocations",
        "shipment" | "tracking" | "purchase_attempt" => "shipments",
        "batch" => "batches",
        "manifest" => "manifests",
        "shipping_rule" => "shipping_rules",
        "webhook_endpoint" => "webhooks",
        "access_token" => "access_tokens",
        "organisation" => "organisation",
        "package_type" => "package_types",
        "printer" => "printers",
        "print_job" => "print_jobs",
        "wave" => "waves",
        "user" | "role" | "passkey" => "users",
        "import" => "imports",
        noun if noun.starts_with("carrier") => "carriers",
        _ => return None,
    })
}

/// Returns whether a token with these scopes may see events of this type.
pub fn is_visible(scopes: Scopes, r#type: &str) -> bool {
    scopes == Scopes::ALL || resource_of(r#type).is_some_and(|resource| scopes.can_read(resource))
}

/// Returns the types that a token with these scopes may see, or `None` if it may see all.
pub fn visible_types(scopes: Scopes) -> Option<Vec<&'static str>> {
    let visible: Vec<_> =
        TYPES.iter().map(|(name, _)| *name).filter(|name| is_visible(scopes, name)).collect();
    (visible.len() < TYPES.len()).then_some(visible)
}

/// Returns whether the text is an id of any kind.
fn is_resource_id(text: &str) -> bool {
    text.split_once('_').is_some_and(|(prefix, _)| {
        !prefix.is_empty()
            && prefix.bytes().all(|byte| byte.is_ascii_lowercase())
            && is_identifier(prefix, text)
    })
}

fn is_type(text: &str) -> bool {
    text.split_once('.').is_some_and(|(noun, verb)| {
        let word = |part: &str| {
            !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        };
        word(noun) && word(verb)
    })
}

/// The id of an event.
pub static EVENT_ID: Shape = Shape::new(
    Kind::Identifier(Event::PREFIX),
    "The same wherever the event is seen: in the log, in a stream, and as the `webhook-id` of its deliveries. Use it to drop what comes twice.",
);
static SEQUENCE: Shape = Shape::new(
    Kind::Integer { min: 1, max: i64::MAX },
    "The event's number in the organisation's log: from 1, without gaps, in the order of commits. Read on with `GET /events?after=`.",
)
.example("1");
/// The type of an event. Only the form is checked, so that a client that knows types of a later version may ask for
/// them.
pub static TYPE: Shape = Shape::new(
    Kind::Text {
        chars_min: 3,
        chars_max: 100,
        pattern: Some(Pattern { regex: "^[a-z_]+\\.[a-z_]+$", matches: is_type }),
    },
    TYPE_ABOUT,
)
.example(r#""location.created""#);
/// The id of a resource of any kind that has events.
pub static RESOURCE_ID: Shape = Shape::new(
    Kind::Text {
        chars_min: BODY_CHARS + 2,
        chars_max: 40,
        pattern: Some(Pattern { regex: "^[a-z]+_[0-7][0-9a-hjkmnp-tv-z]{25}$", matches: is_resource_id }),
    },
    "The id of anything that events tell of, such as `loc_…` or `shp_…`.",
)
.example(r#""loc_01jc0000000000000000000000""#);
/// The position in the log after which to read.
pub static AFTER: Shape = Shape::new(
    Kind::Integer { min: 0, max: i64::MAX },
    "The sequence of the last event that the caller has; 0 is the beginning.",
)
.example("0");
static OBJECT: Shape =
    Shape::new(Kind::Open, "The resource, as its own endpoint shows it; what was deleted, as it last was.");
static PREVIOUS: Shape = Shape::new(
    Kind::Open,
    "The fields that an update changed, with the values they had before. Null where nothing was updated.",
);
static DATA: Shape = Shape::object(
    "EventData",
    &[Field::required("object", &OBJECT)],
    "Holds the resource as the event left it, so that you need not fetch it.",
);

/// An event.
pub static EVENT: Shape = Shape::object(
    "Event",
    &[
        Field::given("id", &EVENT_ID),
        Field::given("sequence", &SEQUENCE),
        Field::given("type", &TYPE),
        Field::created_at(),
        Field::given_or_null("actor", &ACTOR)
            .about("Who or what did it. Null in events from before this was recorded."),
        Field::given("data", &DATA),
        Field::given_or_null("previous_attributes", &PREVIOUS),
    ],
    "Something that happened, in the order of commits.",
);

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_type_has_its_form_and_a_meaning_and_is_published() {
        let mut seen = HashSet::new();
        for (name, meaning) in TYPES {
            assert!(seen.insert(name), "{name} twice");
            assert!(is_type(name) && is_known(name), "{name}");
            assert!(meaning.ends_with('.'), "{name}: {meaning}");
            assert!(TYPE.about.contains(&format!("`{name}`: {meaning}")), "{name} is not published");
        }
        assert_eq!(SUBSCRIPTIONS.len(), TYPES.len() + 1);
        assert!(!is_known("*") && !is_known("location"));
    }

    #[test]
    fn every_type_belongs_to_a_resource_that_has_scopes() {
        for (name, _) in TYPES {
            let resource = resource_of(name).unwrap_or_else(|| panic!("{name} belongs to no resource"));
            let reader = Scopes::parse(&format!("{resource}:read")).unwrap();
            assert!(is_visible(reader, name) && !is_visible(Scopes::default(), name), "{name}");
        }
        assert_eq!((resource_of("unheard.of"), resource_of("location")), (None, None));
        assert!(is_visible(Scopes::ALL, "unheard.of") && !is_visible(Scopes::default(), "unheard.of"));
    }

    #[test]
    fn scopes_choose_the_types() {
        assert_eq!(visible_types(Scopes::ALL), None);
        assert_eq!(visible_types(Scopes::parse("events:write").unwrap()), Some(Vec::new()));
        let some = visible_types(Scopes::parse("manifests:write organisation:read").unwrap());
        assert_eq!(some, Some(vec!["manifest.created", "manifest.failed", "organisation.updated"]));
    }

    #[test]
    fn a_resource_is_named_by_an_id_of_any_kind() {
        for id in ["loc_01jc0000000000000000000000", "lc_7zzzzzzzzzzzzzzzzzzzzzzzzz"] {
            assert!(is_resource_id(id), "{id}");
        }
        let bad = ["", "loc", "loc_", "_01jc0000000000000000000000", "loc_81jc0000000000000000000000"];
        for text in bad.iter().chain(&["Loc_01jc0000000000000000000000", "loc_01jc00000000000000000000000"]) {
            assert!(!is_resource_id(text), "{text}");
        }
    }
}
