//! The components, and how they are put together.

use std::sync::Arc;

use model::{Code, Result, ensure};
use store::access::organisations;
use store::{Access, Db, Tx};

use crate::access::access_tokens::AccessTokens;
use crate::access::address_limit::AddressLimit;
use crate::access::mails::Mails;
use crate::access::organisations::Organisations;
use crate::access::password_checks::PasswordChecks;
use crate::cleaning::Cleaning;
use crate::events::access_ends::AccessEnds;
use crate::events::after_commit::EventNotices;
use crate::events::bus::{Bus, BusSettings};
use crate::events::delivery::Delivery;
use crate::events::events::Events;
use crate::events::me::Callers;
use crate::events::openid::OpenId;
use crate::events::passkeys::Passkeys;
use crate::events::password_resets::PasswordResets;
use crate::events::provisions::Provisions;
use crate::events::relay::Relay;
use crate::events::revocations::Revocations;
use crate::events::roles::Roles;
use crate::events::sign_ins::SignIns;
use crate::events::stream::Streams;
use crate::events::stream::epoch::Epochs;
use crate::events::users::Users;
use crate::events::webhook_deliveries::WebhookDeliveries;
use crate::events::webhook_endpoints::WebhookEndpoints;
use crate::exchange::cost_reports::CostReports;
use crate::exchange::exports::Exports;
use crate::exchange::imports::Imports;
use crate::exchange::sample_data::{self, SampleData};
use crate::exchange::search::Search;
use crate::exchange::search_fill::SearchFill;
use crate::exchange::summary::Summaries;
use crate::fulfilment::branding::BrandingSettings;
use crate::fulfilment::order_changes::OrderChanges;
use crate::fulfilment::order_shipments::OrderShipments;
use crate::fulfilment::package_types::PackageTypes;
use crate::fulfilment::packings::Packings;
use crate::fulfilment::papers::{self, Papers};
use crate::fulfilment::print_jobs::{self, PrintJobs};
use crate::fulfilment::printers::Printers;
use crate::fulfilment::scans::Scans;
use crate::fulfilment::shipping_rules::ShippingRules;
use crate::fulfilment::shorts::Shorts;
use crate::fulfilment::waves::{self, Waves};
use crate::onboarding::Onboarding;
use crate::orders::allocations::Allocations;
use crate::orders::exceptions::OrderExceptions;
use crate::orders::holds::Holds;
use crate::orders::matching::LineMatching;
use crate::orders::notes::OrderNotes;
use crate::orders::orders::Orders;
use crate::orders::organisation_settings::OrganisationSettings;
use crate::orders::plans::Plans;
use crate::orders::upkeep::OrderUpkeep;
use crate::places::geo::PostalPlaces;
use crate::places::location_configurations::LocationConfigurations;
use crate::places::locations::Locations;
use crate::platform::clock::Clock;
use crate::platform::context::Context;
use crate::platform::lookups::{fair_outbound, fair_sender};
use crate::platform::nodes::Nodes;
use crate::platform::random::Random;
use crate::platform::signal::Signal;
use crate::settings::Settings;
use crate::shipping::account_tests::AccountTests;
use crate::shipping::batch_labels::{self, BatchLabels};
use crate::shipping::batches::Batches;
use crate::shipping::carrier_accounts::CarrierAccounts;
use crate::shipping::carrier_calls::CarrierCalls;
use crate::shipping::carrier_webhooks::CarrierWebhooks;
use crate::shipping::carriers::Carriers;
use crate::shipping::documents::Documents;
use crate::shipping::drawing::DrawingPermits;
use crate::shipping::hand_over::HandOvers;
use crate::shipping::manifests::{self, Manifests};
use crate::shipping::purchasing::{self, Purchasing};
use crate::shipping::rates::Rates;
use crate::shipping::shipments::Shipments;
use crate::stock::audit::StockAudit;
use crate::stock::inventory_items::InventoryItems;
use crate::stock::inventory_levels::InventoryLevels;
use crate::suspects::Suspects;

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

impl Components {
    pub(crate) fn new(
        db: Db,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
        settings: Settings,
    ) -> Result<Self> {
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
