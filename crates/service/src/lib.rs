//! The operations of the product, each one transaction, and the jobs that run beside them. All decisions are made here.
//!
//! Architecture Invariant: a transaction awaits nothing but the database, and a request never calls the outside
//! world, except to ask carriers for rates. What the world must hear of is recorded with the change, and acted on later.

pub mod access;
mod cleaning;
pub mod events;
pub mod exchange;
pub mod fulfilment;
pub mod jobs;
pub mod onboarding;
mod orders;
mod places;
pub mod platform;
pub mod shipping;
mod stock;
mod suspects;

use std::ops::Deref;
use std::sync::Arc;

use model::{Code, Result, ensure};
use store::access::organisations;
use store::{Access, Db, Tx};

use access::access_tokens::AccessTokens;
use access::address_limit::AddressLimit;
use access::mails::{self, Mails};
use access::organisations::Organisations;
use access::password_checks::PasswordChecks;
use cleaning::Cleaning;
use events::access_ends::AccessEnds;
use events::after_commit::EventNotices;
use events::bus::{Bus, BusSettings};
use events::delivery::Delivery;
use events::events::Events;
use events::me::Callers;
use events::openid::OpenId;
use events::passkeys::Passkeys;
use events::password_resets::PasswordResets;
use events::provisions::Provisions;
use events::relay::Relay;
use events::revocations::Revocations;
use events::roles::Roles;
use events::sign_ins::SignIns;
use events::stream::Streams;
use events::stream::epoch::Epochs;
use events::users::Users;
use events::webhook_deliveries::WebhookDeliveries;
use events::webhook_endpoints::WebhookEndpoints;
use exchange::cost_reports::CostReports;
use exchange::exports::Exports;
use exchange::imports::Imports;
use exchange::sample_data::{self, SampleData};
use exchange::search::Search;
use exchange::search_fill::SearchFill;
use exchange::summary::Summaries;
use fulfilment::branding::BrandingSettings;
use fulfilment::order_changes::OrderChanges;
use fulfilment::order_shipments::OrderShipments;
use fulfilment::package_types::PackageTypes;
use fulfilment::packings::Packings;
use fulfilment::papers::{self, Papers};
use fulfilment::print_jobs::{self, PrintJobs};
use fulfilment::printers::Printers;
use fulfilment::scans::Scans;
use fulfilment::shipping_rules::ShippingRules;
use fulfilment::shorts::Shorts;
use fulfilment::waves::{self, Waves};
use onboarding::Onboarding;
use orders::allocations::Allocations;
use orders::exceptions::OrderExceptions;
use orders::holds::Holds;
use orders::matching::LineMatching;
use orders::notes::OrderNotes;
use orders::orders::Orders;
use orders::organisation_settings::OrganisationSettings;
use orders::plans::Plans;
use orders::upkeep::OrderUpkeep;
use places::geo::PostalPlaces;
use places::location_configurations::LocationConfigurations;
use places::locations::Locations;
use platform::context::{Context, ContextSettings};
use platform::lookups::{fair_outbound, fair_sender};
use platform::nodes::Nodes;
use platform::signal::Signal;
use shipping::account_tests::AccountTests;
use shipping::batch_labels::{self, BatchLabels};
use shipping::batches::Batches;
use shipping::carrier_accounts::CarrierAccounts;
use shipping::carrier_calls::CarrierCalls;
use shipping::carrier_webhooks::CarrierWebhooks;
use shipping::carriers::Carriers;
use shipping::documents::Documents;
use shipping::drawing::DrawingPermits;
use shipping::hand_over::HandOvers;
use shipping::manifests::{self, Manifests};
use shipping::purchasing::{self, Purchasing};
use shipping::rates::Rates;
use shipping::shipments::Shipments;
use stock::audit::StockAudit;
use stock::inventory_items::InventoryItems;
use stock::inventory_levels::InventoryLevels;
use suspects::Suspects;

pub use access::caller::{Caller, CallerSession};
pub use access::new_session::{SignInOrigin, SignedIn};
pub use access::reply::{Outcome, Reply};
pub use access::write::{Command, Idempotency, Precondition};
pub use cleaning::Retention;
pub use events::users::UserChange;
pub use fulfilment::print_jobs::PrintJobFilter;
pub use onboarding::Welcome;
pub use orders::exceptions::NewException;
pub use platform::clock::{Clock, ClockState, SystemClock};
pub use platform::cursor::{Cursor, ListQuery, Listing};
pub use platform::random::{Random, SystemRandom};
pub use platform::wait_deadline::{WAIT_SECONDS_MAX, Wait};
pub use shipping::batch_labels::LabelPage;
pub use store::events::events::Filter as EventFilter;
pub use store::exchange::exports::{ChangeFilter, LevelFilter};
pub use store::orders::allocations::Filter as AllocationFilter;
pub use store::orders::order_filters::Filter as OrderFilter;
pub use store::shipping::shipment_filters::ShipmentFilter;
pub use store::stock::inventory_levels::At;
pub use store::stock::item_filters::ItemFilter;
pub use store::{FairPermit, FairPermits, Page, Place};

/// Limits and keys that an operator sets.
#[derive(Clone)]
pub struct Settings {
    /// Page size where the caller names none, and the largest there is.
    pub page_limit_default: usize,
    pub page_limit_max: usize,
    /// Most shipments that a batch may have.
    pub batch_shipments_max: usize,
    /// How long an answer is kept for a repeated request, in seconds.
    pub idempotency_seconds: i64,
    /// How long an event is kept, in seconds.
    pub event_seconds: i64,
    /// How long histories and leftovers are kept.
    pub retention: Retention,
    /// Networks beside the public ones that may be called.
    pub outbound_allow: Vec<outbound::Network>,
    /// Networks in which the server may connect to printers.
    pub printer_networks: Vec<outbound::Network>,
    pub stream: events::stream::Settings,
    pub carriers: shipping::purchasing::Settings,
    pub files: shipping::documents::Settings,
    /// The identity provider at which people sign in, if there is one.
    pub openid: Option<events::openid::Settings>,
    /// The mail server, if there is one.
    pub mail: Option<mails::Settings>,
    /// The NATS server that carries hints between the nodes of one database, instead of the database itself.
    pub nats: Option<bus::nats::NatsSettings>,
    /// The share of other nodes' hints that is lost, in percent. Only tests set it.
    pub hint_loss_percent: u8,
    /// Signs cursors and file links. Nodes that share a database share it.
    pub signing_key: [u8; 32],
    /// Encrypts credentials at rest. Nodes that share a database share it.
    pub encryption_key: [u8; 32],
}

/// The running product, behind whatever speaks to it: its components, in the order of their areas. Clones share it.
#[derive(Clone)]
pub struct Service(Arc<Components>);

/// The components. Each takes those that it needs, so their order shows what may use what.
pub struct Components {
    settings: Settings,
    pub context: Context,
    pub nodes: Nodes,
    pub outbound: outbound::Outbound,
    pub access_tokens: AccessTokens,
    pub organisations: Organisations,
    pub callers: Callers,
    pub mails: Mails,
    pub users: Users,
    pub roles: Roles,
    pub passkeys: Passkeys,
    pub sign_ins: SignIns,
    pub password_resets: PasswordResets,
    pub openid: OpenId,
    pub bus: Bus,
    pub relay: Relay,
    pub events: Events,
    pub streams: Streams,
    pub provisions: Provisions,
    pub revocations: Revocations,
    pub webhook_endpoints: WebhookEndpoints,
    pub webhook_deliveries: WebhookDeliveries,
    pub delivery: Delivery,
    pub locations: Locations,
    pub location_configurations: LocationConfigurations,
    pub postal_places: PostalPlaces,
    pub inventory_items: InventoryItems,
    pub inventory_levels: InventoryLevels,
    pub stock_audit: StockAudit,
    pub organisation_settings: OrganisationSettings,
    pub orders: Orders,
    pub line_matching: LineMatching,
    pub holds: Holds,
    pub order_notes: OrderNotes,
    pub order_exceptions: OrderExceptions,
    pub order_upkeep: OrderUpkeep,
    pub allocations: Allocations,
    pub plans: Plans,
    pub carriers: Carriers,
    pub carrier_accounts: CarrierAccounts,
    pub documents: Documents,
    pub shipments: Shipments,
    pub rates: Rates,
    pub account_tests: AccountTests,
    pub purchasing: Purchasing,
    pub carrier_webhooks: CarrierWebhooks,
    pub batches: Batches,
    pub batch_labels: BatchLabels,
    pub manifests: Manifests,
    pub hand_overs: HandOvers,
    pub order_changes: OrderChanges,
    pub order_shipments: OrderShipments,
    pub package_types: PackageTypes,
    pub packings: Packings,
    pub shipping_rules: ShippingRules,
    pub waves: Waves,
    pub exports: Exports,
    pub imports: Imports,
    pub sample_data: SampleData,
    pub search: Search,
    pub search_fill: SearchFill,
    pub summaries: Summaries,
    pub cost_reports: CostReports,
    pub branding: BrandingSettings,
    pub papers: Papers,
    pub printers: Printers,
    pub print_jobs: PrintJobs,
    pub scans: Scans,
    pub shorts: Shorts,
    pub onboarding: Onboarding,
    pub cleaning: Cleaning,
    pub suspects: Suspects,
}

impl Deref for Service {
    type Target = Components;

    fn deref(&self) -> &Components {
        &self.0
    }
}

impl Service {
    pub fn new(db: Db, clock: Arc<dyn Clock>, random: Arc<dyn Random>, settings: Settings) -> Result<Self> {
        Components::new(db, clock, random, settings).map(|components| Self(Arc::new(components)))
    }
}

impl Components {
    fn new(db: Db, clock: Arc<dyn Clock>, random: Arc<dyn Random>, settings: Settings) -> Result<Self> {
        let notices = EventNotices {
            is_shared: db.is_shared(),
            relay: Arc::default(),
            positions: Arc::default(),
            deliveries: Signal::default(),
            channels: Arc::default(),
        };
        let after_commit = Arc::new(notices.clone());
        let context = Context::new(db, clock, random, settings.context(), after_commit);
        let outbound = fair_outbound(&settings.outbound_allow)?;

        let access_tokens = AccessTokens::new(&context);
        let bus_settings =
            BusSettings { nats: settings.nats.clone(), loss_percent: settings.hint_loss_percent };
        let bus = Bus::new(&context, bus_settings, &notices.channels, &notices.deliveries, &access_tokens);
        let epochs = Epochs::new(&context, &bus, settings.stream.hub(), &notices.positions);
        let nodes = Nodes::new(&context, Arc::new(epochs.clone()));
        let streams = Streams::new(&context, &settings.stream, &nodes, &bus, &epochs)?;
        let ends = AccessEnds::new(&context, &access_tokens, &bus, &streams);
        let addresses = Arc::new(AddressLimit::default());
        let openid =
            OpenId::new(&context, &ends, &addresses, &settings.files.public_url, settings.openid.as_ref())?;
        let checks = PasswordChecks::new(&context);
        let passkeys = Passkeys::new(&context, &checks, &settings.files.public_url);
        let mails = Mails::new(&context, &nodes, &settings.files.public_url, settings.mail.as_ref())?;
        let users = Users::new(&context, &ends, &mails, &settings.files.public_url);
        let webhook_endpoints = WebhookEndpoints::new(&context, &outbound, &notices.deliveries);
        let delivery = Delivery::new(&context, &nodes, &outbound, &webhook_endpoints, &notices.deliveries);

        let inventory_items = InventoryItems::new(&context);
        let line_matching = LineMatching::new(&context, &inventory_items);
        let holds = Holds::new(&context);

        let calls = CarrierCalls::new(&context, &outbound);
        let carrier_accounts = CarrierAccounts::new(&context, &outbound, &settings.carriers.urls);
        let documents = Documents::new(&context, &settings.files)?;
        let shipments = Shipments::new(&context, &documents);
        let drawing = DrawingPermits::default();
        let needs = purchasing::Needs {
            nodes: &nodes,
            outbound: &outbound,
            calls: &calls,
            carrier_accounts: &carrier_accounts,
            documents: &documents,
            shipments: &shipments,
            drawing: &drawing,
        };
        let purchasing = Purchasing::new(&context, &settings.carriers, &needs);
        let needs = batch_labels::Needs {
            nodes: &nodes,
            calls: &calls,
            carrier_accounts: &carrier_accounts,
            documents: &documents,
            purchasing: &purchasing,
            drawing: &drawing,
        };
        let batch_labels = BatchLabels::new(&context, &needs);
        let needs = manifests::Needs {
            nodes: &nodes,
            calls: &calls,
            carrier_accounts: &carrier_accounts,
            documents: &documents,
            purchasing: &purchasing,
        };
        let manifests = Manifests::new(&context, &needs);
        let packings = Packings::new(&context);
        let plans = Plans::new(&context);
        let rates = Rates::new(&context, &carrier_accounts, &calls, settings.carriers.rate_seconds);
        let account_tests =
            AccountTests::new(&context, &carrier_accounts, &calls, settings.carriers.rate_seconds);
        let batches = Batches::new(&context, &purchasing, &shipments, settings.batch_shipments_max);
        let order_shipments = OrderShipments::new(&context, &packings);
        let needs = waves::Needs {
            nodes: &nodes,
            plans: &plans,
            order_shipments: &order_shipments,
            rates: &rates,
            batches: &batches,
        };
        let waves = Waves::new(&context, &needs);
        let needs = papers::Needs { documents: &documents, purchasing: &purchasing, drawing: &drawing };
        let papers = Papers::new(&context, &needs);
        let sender = fair_sender(&settings.printer_networks)?;
        let needs = print_jobs::Needs { documents: &documents, purchasing: &purchasing, drawing: &drawing };
        let print_jobs = PrintJobs::new(&context, &nodes, &needs, &sender);
        let needs = sample_data::Needs {
            locations: Locations::new(&context),
            location_configurations: LocationConfigurations::new(&context),
            package_types: PackageTypes::new(&context),
            shipping_rules: ShippingRules::new(&context),
            line_matching: line_matching.clone(),
            inventory_levels: InventoryLevels::new(&context),
            orders: Orders::new(&context),
            holds: holds.clone(),
            order_exceptions: OrderExceptions::new(&context),
            plans: plans.clone(),
            waves: waves.clone(),
            batches: batches.clone(),
            manifests: manifests.clone(),
        };
        let sample_data = SampleData::new(&context, needs);
        Ok(Self {
            organisations: Organisations::new(&context),
            callers: Callers::new(&context),
            roles: Roles::new(&context, &ends),
            sign_ins: SignIns::new(&context, &ends, &addresses, &checks, &passkeys),
            passkeys,
            password_resets: PasswordResets::new(&context, &users, &mails),
            mails,
            openid,
            relay: Relay::new(&context, &bus, &notices),
            events: Events::new(&context),
            provisions: Provisions::new(&context, &bus, &streams),
            revocations: Revocations::new(&context, &access_tokens, &bus, &streams),
            webhook_deliveries: WebhookDeliveries::new(&context, &notices.deliveries),
            locations: Locations::new(&context),
            location_configurations: LocationConfigurations::new(&context),
            postal_places: PostalPlaces::new(&context),
            inventory_levels: InventoryLevels::new(&context),
            stock_audit: StockAudit::new(&context),
            organisation_settings: OrganisationSettings::new(&context),
            orders: Orders::new(&context),
            order_notes: OrderNotes::new(&context),
            order_exceptions: OrderExceptions::new(&context),
            order_upkeep: OrderUpkeep::new(&holds, &line_matching),
            allocations: Allocations::new(&context),
            plans,
            carriers: Carriers::new(&context),
            rates,
            account_tests,
            carrier_webhooks: CarrierWebhooks::new(&context, &carrier_accounts, &purchasing),
            batches,
            package_types: PackageTypes::new(&context),
            order_changes: OrderChanges::new(&context),
            order_shipments,
            hand_overs: HandOvers::new(&context, &shipments),
            packings,
            shipping_rules: ShippingRules::new(&context),
            waves,
            exports: Exports::new(&context),
            imports: Imports::new(&context, &nodes, &documents),
            sample_data,
            search: Search::new(&context),
            search_fill: SearchFill::new(&context),
            summaries: Summaries::new(&context),
            cost_reports: CostReports::new(&context),
            branding: BrandingSettings::new(&context, &drawing),
            papers,
            printers: Printers::new(&context, &sender),
            scans: Scans::new(&context, &purchasing, &print_jobs),
            shorts: Shorts::new(&context),
            print_jobs,
            onboarding: Onboarding::new(&context, &users),
            users,
            cleaning: Cleaning::new(&context, &nodes, &delivery, settings.retention, settings.event_seconds),
            suspects: Suspects::new(
                &context,
                &nodes,
                &streams,
                &delivery,
                &purchasing,
                &batch_labels,
                &manifests,
            ),
            settings,
            context,
            nodes,
            outbound,
            access_tokens,
            bus,
            streams,
            webhook_endpoints,
            delivery,
            inventory_items,
            line_matching,
            holds,
            carrier_accounts,
            documents,
            shipments,
            purchasing,
            batch_labels,
            manifests,
        })
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Whether the database answers.
    pub async fn is_ready(&self) -> Result<()> {
        let any = async |tx: &mut Tx<'_>| organisations::any(tx).await;
        self.context.db().read(Access::System, any).await?;
        ensure(!self.nodes.is_failing(), Code::StoreNotWritable)
    }

    /// Works on every purchase that is due, and returns when none is: for tests and tools, which wait for no notification.
    pub async fn work_purchases(&self) -> Result<()> {
        self.nodes.heartbeat().await?;
        loop {
            self.batches.begin_all().await?;
            if !self.purchasing.work_once().await? {
                return Ok(());
            }
        }
    }
}

impl Settings {
    /// Returns the settings that every component may need.
    fn context(&self) -> ContextSettings {
        ContextSettings {
            page_limit_default: self.page_limit_default,
            page_limit_max: self.page_limit_max,
            idempotency_seconds: self.idempotency_seconds,
            call_seconds: self.carriers.call_seconds,
            signing_key: self.signing_key,
            encryption_key: self.encryption_key,
        }
    }
}
