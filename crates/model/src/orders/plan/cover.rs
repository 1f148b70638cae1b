//! The planner's problem in whole numbers: which sites together hold enough of every item. It contains no ids, so
//! that the searches compare small integers only.

use std::cmp::Reverse;

use super::limits::ROW_STEPS;
use crate::places::geo::Distance;
use crate::platform::step_budget::{StepBudget, StepsSpent};

/// The distance that a site adds to a plan. For a set: whether all its sites have coordinates, then the sum of their
/// metres, or the worst result of comparing addresses. It never decreases when a site is added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cost {
    unmeasured: u32,
    metres: u64,
}

impl Cost {
    pub fn of(distance: Option<Distance>) -> Self {
        match distance {
            None => Self::default(),
            Some(Distance::Kilometres { km, .. }) => {
                Self { unmeasured: 0, metres: (km * 1000.0).round() as u64 }
            }
            Some(Distance::SameCountry { shared_prefix }) => {
                let shared = u32::try_from(shared_prefix).unwrap_or(u32::MAX).min(u32::MAX - 2);
                Self { unmeasured: u32::MAX - 1 - shared, metres: 0 }
            }
            Some(Distance::OtherCountry) => Self { unmeasured: u32::MAX, metres: 0 },
        }
    }

    pub fn with(self, other: Self) -> Self {
        let unmeasured = self.unmeasured.max(other.unmeasured);
        let metres = if unmeasured == 0 { self.metres.saturating_add(other.metres) } else { 0 };
        Self { unmeasured, metres }
    }
}

/// Quantities above zero, sorted by item: the stock of a site, or the quantities that are still wanted.
pub(super) type Row = Vec<(usize, i64)>;

/// Returns the quantity of an item in a row.
pub(super) fn amount(row: &[(usize, i64)], item: usize) -> i64 {
    // The row of a site that stocks every item needs no search.
    match row.get(item) {
        Some((at, quantity)) if *at == item => *quantity,
        _ => row.binary_search_by_key(&item, |(at, _)| *at).map_or(0, |at| row[at].1),
    }
}

/// Returns each wanted item with its wanted quantity and the quantity in the row. Both are sorted, so one pass is
/// enough.
pub(super) fn matched<'a>(
    wanted: &'a [(usize, i64)],
    row: &'a [(usize, i64)],
) -> impl Iterator<Item = (usize, i64, i64)> {
    let mut at = wanted.first().map_or(0, |(first, _)| row.partition_point(|(item, _)| item < first));
    wanted.iter().map(move |(item, quantity)| {
        while row.get(at).is_some_and(|(known, _)| known < item) {
            at += 1;
        }
        let has = row.get(at).filter(|(known, _)| known == item).map_or(0, |(_, has)| *has);
        (*item, *quantity, has)
    })
}

/// Returns the quantities that are still wanted after a site has supplied its stock.
pub(super) fn without(wanted: &[(usize, i64)], row: &[(usize, i64)]) -> Row {
    let left = matched(wanted, row).map(|(item, quantity, has)| (item, quantity - has));
    left.filter(|(_, quantity)| *quantity > 0).collect()
}

/// Returns whether a site alone has all wanted quantities.
pub(super) fn covers(
    row: &[(usize, i64)],
    wanted: &[(usize, i64)],
    budget: &mut StepBudget,
) -> Result<bool, StepsSpent> {
    if row.len() < wanted.len() {
        return Ok(false);
    }
    let lacking = matched(wanted, row).position(|(_, quantity, has)| has < quantity);
    budget.spend(ROW_STEPS + lacking.unwrap_or(wanted.len()) as u64)?;
    Ok(lacking.is_none())
}

/// A location that has at least one wanted item.
pub(super) struct Site {
    /// Its position in the order of the locations' ids.
    pub rank: usize,
    pub cost: Cost,
    pub row: Row,
}

/// The whole problem. Sites are identified by their numbers, in the order of their distance.
pub(super) struct Cover {
    /// The quantity of each item that the sites can supply: the demand, limited by the stock.
    pub supply: Row,
    pub sites: Vec<Site>,
    /// The sites that every plan needs, because the others together have too little of an item.
    pub forced: Vec<usize>,
    is_forced: Vec<bool>,
    /// The quantities that are still wanted after the forced sites have supplied their stock.
    pub wanted: Row,
    /// For each item: the other sites and their quantities, the largest first. Empty for items that are not wanted.
    shelves: Vec<Vec<(i64, usize)>>,
    /// At index n: the largest number of wanted items that n sites can have.
    reach: Vec<usize>,
    /// For each item: the weight of one piece in [`Cover::gain`].
    weights: Vec<f64>,
}

impl Cover {
    /// Creates the problem. `demand` is by item; the rows of the sites contain only these items.
    pub fn new(demand: &[i64], mut sites: Vec<Site>) -> Self {
        let mut stock = vec![0_i128; demand.len()];
        for (item, quantity) in sites.iter().flat_map(|site| &site.row) {
            stock[*item] += i128::from(*quantity);
        }
        let supply: Row = (0..demand.len())
            .map(|item| (item, i64::try_from(stock[item]).map_or(demand[item], |all| all.min(demand[item]))))
            .filter(|(_, quantity)| *quantity > 0)
            .collect();
        let weights = (0..demand.len()).map(|item| 1e6 / amount(&supply, item).max(1) as f64).collect();
        let mut cover = Self {
            is_forced: vec![false; sites.len()],
            shelves: vec![Vec::new(); demand.len()],
            wanted: supply.clone(),
            forced: Vec::new(),
            reach: vec![0],
            weights,
            supply,
            sites: Vec::new(),
        };
        sites
            .sort_by_cached_key(|site| (site.cost, Reverse(cover.gain(&cover.supply, &site.row)), site.rank));
        cover.sites = sites;
        cover.force();
        cover.fill_shelves();
        cover
    }

    fn force(&mut self) {
        let slack = Slack::of(self, 0..self.sites.len());
        self.forced = (0..self.sites.len()).filter(|site| !slack.spares(self, *site)).collect();
        for site in &self.forced {
            self.is_forced[*site] = true;
            self.wanted = without(&self.wanted, &self.sites[*site].row);
        }
    }

    fn fill_shelves(&mut self) {
        let mut useful_counts = Vec::with_capacity(self.free_count());
        for (number, site) in self.sites.iter().enumerate().filter(|(number, _)| !self.is_forced[*number]) {
            let mut useful_count = 0;
            for (item, quantity, wanted) in matched(&site.row, &self.wanted) {
                if wanted > 0 {
                    self.shelves[item].push((quantity.min(wanted), number));
                    useful_count += 1;
                }
            }
            useful_counts.push(useful_count);
        }
        useful_counts.sort_unstable_by_key(|count| Reverse(*count));
        let mut sum = 0;
        self.reach.extend(useful_counts.iter().map(|count| {
            sum += count;
            sum
        }));
        for shelf in &mut self.shelves {
            shelf.sort_unstable_by_key(|(quantity, site)| (Reverse(*quantity), *site));
        }
    }

    pub fn is_forced(&self, site: usize) -> bool {
        self.is_forced[site]
    }

    pub fn items_count(&self) -> usize {
        self.shelves.len()
    }

    /// Returns the number of sites to choose from.
    pub fn free_count(&self) -> usize {
        self.sites.len() - self.forced.len()
    }

    pub fn cost(&self, sites: &[usize]) -> Cost {
        sites.iter().fold(Cost::default(), |sum, site| sum.with(self.sites[*site].cost))
    }

    /// Returns the sites that have at least this quantity of an item. The shelf is sorted, so they are at its start.
    fn having(&self, item: usize, least: i64) -> &[(i64, usize)] {
        let shelf = &self.shelves[item];
        &shelf[..shelf.partition_point(|(quantity, _)| *quantity >= least)]
    }

    /// Returns the shortest list of sites such that any `places` sites that cover `wanted` include one of the list.
    /// Returns `None` if no `places` sites can cover it.
    pub fn pivot(&self, wanted: &[(usize, i64)], places: usize) -> Option<&[(i64, usize)]> {
        if self.reach.get(places).is_some_and(|most| *most < wanted.len()) {
            return None;
        }
        let mut shortest: Option<&[(i64, usize)]> = None;
        for (item, quantity) in wanted {
            let shelf = &self.shelves[*item];
            let most: i128 = shelf.iter().take(places).map(|(most, _)| i128::from(*most)).sum();
            if most < i128::from(*quantity) {
                return None;
            }
            // Of `places` sites that share a quantity, at least one supplies its equal share.
            let share = quantity / places as i64 + i64::from(quantity % places as i64 > 0);
            let having = self.having(*item, share);
            if shortest.is_none_or(|list| having.len() < list.len()) {
                shortest = Some(having);
            }
        }
        shortest
    }

    /// Returns a lower bound of the sites that any plan needs besides the forced ones, from the quantities per item
    /// and from the number of items.
    pub fn least_more(&self) -> usize {
        let places = self.wanted.iter().map(|(item, quantity)| {
            let mut left = i128::from(*quantity);
            let takes = |(most, _): &&(i64, usize)| {
                let wants = left > 0;
                left -= i128::from(*most);
                wants
            };
            self.shelves[*item].iter().take_while(takes).count()
        });
        places.max().unwrap_or(0).max(self.reach.partition_point(|most| *most < self.wanted.len()))
    }

    /// Returns how much of the remaining quantities a site has, in millionths of each item's whole quantity. It uses
    /// only multiplication and addition, which give the same result on every processor.
    pub fn gain(&self, left: &[(usize, i64)], row: &[(usize, i64)]) -> u64 {
        let shares = matched(left, row).map(|(item, left, has)| has.min(left) as f64 * self.weights[item]);
        shares.sum::<f64>() as u64
    }
}

/// The quantity of each item that a set of sites has, to find sites that the set does not need.
pub(super) struct Slack {
    held: Vec<i128>,
}

impl Slack {
    pub fn of(cover: &Cover, sites: impl IntoIterator<Item = usize>) -> Self {
        let mut held = vec![0; cover.shelves.len()];
        for site in sites {
            for (item, quantity) in &cover.sites[site].row {
                held[*item] += i128::from(*quantity);
            }
        }
        Self { held }
    }

    /// Returns whether the other sites of the set have enough without this one.
    pub fn spares(&self, cover: &Cover, site: usize) -> bool {
        matched(&cover.sites[site].row, &cover.supply)
            .all(|(item, has, supply)| self.held[item] - i128::from(has) >= i128::from(supply))
    }

    pub fn remove(&mut self, cover: &Cover, site: usize) {
        for (item, quantity) in &cover.sites[site].row {
            self.held[*item] -= i128::from(*quantity);
        }
    }

    /// Returns the quantities that the set lacks.
    pub fn lacks(&self, cover: &Cover) -> Row {
        let lacks = |(item, quantity): &(usize, i64)| {
            let lack = i128::from(*quantity) - self.held[*item];
            i64::try_from(lack).ok().filter(|lack| *lack > 0).map(|lack| (*item, lack))
        };
        cover.supply.iter().filter_map(lacks).collect()
    }
}
