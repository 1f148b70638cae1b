//! Which shipments of a wave share a batch, and how that batch is named.

use super::input::GroupBy;
use crate::shipping::shipment::Shipment;
use crate::{Id, Location};

/// Characters of a batch's name.
const NAME_CHARS_MAX: usize = 255;

/// What the shipments of a batch have in common. What a wave does not group by is absent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BatchGroup {
    pub location: Option<Id<Location>>,
    pub carrier_account: Option<String>,
    pub service: Option<String>,
}

/// The names of what a group has in common.
#[derive(Clone, Debug, Default)]
pub struct GroupNames {
    pub location: Option<String>,
    pub carrier_account: Option<String>,
}

impl BatchGroup {
    /// Returns the group of a shipment that leaves from a location.
    pub fn of(group_by: &[GroupBy], shipment: &Shipment, origin: Option<Id<Location>>) -> Self {
        let choice = shipment.details.carrier.as_ref();
        let chosen = shipment.service.as_ref();
        let account = chosen.map(|chosen| chosen.carrier_account.id.to_string());
        let account = account.or_else(|| choice.and_then(|choice| choice.carrier_accounts.first().cloned()));
        let service = chosen.and_then(|chosen| chosen.carrier_service.handle.clone());
        let service = service.or_else(|| choice.and_then(|choice| choice.service_code.clone()));
        let is_by = |by: GroupBy| group_by.contains(&by);
        Self {
            location: origin.filter(|_| is_by(GroupBy::Location)),
            carrier_account: account.filter(|_| is_by(GroupBy::CarrierAccount)),
            service: service.filter(|_| is_by(GroupBy::Service)),
        }
    }

    /// Returns the text under which the group's batches are stored.
    pub fn key(&self) -> String {
        let location = self.location.map(|id| id.to_string()).unwrap_or_default();
        let account = self.carrier_account.as_deref().unwrap_or_default();
        format!("{location}/{account}/{}", self.service.as_deref().unwrap_or_default())
    }

    /// Returns the name of a batch: that of the wave, what its shipments have in common, and a number from the second batch of
    /// the group on. `None` if there is nothing to say.
    pub fn batch_name(&self, wave: Option<&str>, names: &GroupNames, number: usize) -> Option<String> {
        let parts =
            [wave, names.location.as_deref(), names.carrier_account.as_deref(), self.service.as_deref()];
        let mut name = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
        if number > 1 && !name.is_empty() {
            name = format!("{name} ({number})");
        }
        Some(name.chars().take(NAME_CHARS_MAX).collect()).filter(|name: &String| !name.is_empty())
    }
}
