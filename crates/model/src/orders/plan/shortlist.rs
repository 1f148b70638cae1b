//! The best plans found so far, the quantities that each takes from its sites, and their ranking.

use std::cmp::Reverse;

use super::cover::{Cost, Cover, Row, Slack, amount};
use crate::platform::step_budget::{StepBudget, StepsSpent};

/// Maximum number of proposals of a plan.
pub const PROPOSALS_MAX: usize = 5;
/// Steps for each shelf that a plan may take stock from: to sum it, to sort it, and to take from it.
const DRAW_STEPS: u64 = 4;

/// A set of sites that covers the demand and has no superfluous site.
pub(super) struct Pick {
    /// The sites by number, so the nearest first.
    pub sites: Vec<usize>,
    pub draw: Draw,
    cost: Cost,
    /// The sites' positions in the order of their ids, sorted. They are the last criterion, which makes the ranking
    /// total.
    ranks: Vec<usize>,
}

impl Pick {
    fn key(&self) -> (usize, Cost, Reverse<u32>, &[usize]) {
        (self.sites.len(), self.cost, Reverse(self.draw.balance), &self.ranks)
    }
}

/// The best plans, best first.
#[derive(Default)]
pub(super) struct Shortlist {
    pub picks: Vec<Pick>,
}

impl Shortlist {
    pub fn is_full(&self) -> bool {
        self.picks.len() == PROPOSALS_MAX
    }

    /// Returns whether no plan with this many sites and at least this cost can enter the list.
    pub fn beats(&self, sites: usize, cost: Cost) -> bool {
        self.is_full()
            && self.picks.last().is_some_and(|worst| (sites, cost) > (worst.sites.len(), worst.cost))
    }

    /// Adds a set of sites that covers the demand, if it ranks among the best and needs all its sites.
    pub fn offer(
        &mut self,
        cover: &Cover,
        mut sites: Vec<usize>,
        budget: &mut StepBudget,
    ) -> Result<(), StepsSpent> {
        let cost = cover.cost(&sites);
        budget.spend(1)?;
        if self.beats(sites.len(), cost) {
            return Ok(());
        }
        budget
            .spend(DRAW_STEPS * sites.iter().map(|site| cover.sites[*site].row.len() as u64).sum::<u64>())?;
        let slack = Slack::of(cover, sites.iter().copied());
        if sites.iter().any(|site| slack.spares(cover, *site)) {
            return Ok(());
        }
        sites.sort_unstable();
        let mut ranks: Vec<usize> = sites.iter().map(|site| cover.sites[*site].rank).collect();
        ranks.sort_unstable();
        let pick = Pick { draw: Draw::new(cover, &sites), sites, cost, ranks };
        if let Err(at) = self.picks.binary_search_by(|known| known.key().cmp(&pick.key())) {
            self.picks.insert(at, pick);
            self.picks.truncate(PROPOSALS_MAX);
        }
        Ok(())
    }
}

/// The quantities that a set of sites supplies.
pub(super) struct Draw {
    /// For each site of the set, in the set's order.
    pub rows: Vec<Row>,
    /// The lowest percentage of stock that remains at any site.
    pub balance: u32,
    /// The number of items that come from more than one site.
    pub split_count: usize,
}

impl Draw {
    /// Takes each item from the site with the most of it, and from the next site only if that is not enough. This
    /// keeps stock even and splits few items. Of equal stocks, the nearer site's is taken.
    fn new(cover: &Cover, sites: &[usize]) -> Self {
        let mut draw = Self { rows: vec![Row::new(); sites.len()], balance: 100, split_count: 0 };
        let (mut shelves, ends) = by_item(cover, sites);
        let mut start = 0;
        for (item, end) in ends.into_iter().enumerate() {
            let shelves = &mut shelves[start..end];
            start = end;
            shelves.sort_unstable();
            draw.take(item, amount(&cover.supply, item), shelves);
        }
        draw
    }

    fn take(&mut self, item: usize, mut left: i64, shelves: &[Shelf]) {
        let mut parts = 0;
        for (Reverse(stock), place) in shelves {
            let taken = left.min(*stock);
            if taken == 0 {
                break;
            }
            left -= taken;
            parts += 1;
            self.rows[*place].push((item, taken));
            self.balance = self.balance.min(share_left(*stock, taken));
        }
        self.split_count += usize::from(parts > 1);
    }
}

/// The quantity of an item at a site, and the site's position in its set. Sorted, the largest quantity comes first.
type Shelf = (Reverse<i64>, usize);

/// Returns all shelves of a set, grouped by item, and the end of each group. One list holds all groups, because a
/// list per item would cost more than the rest of the computation.
fn by_item(cover: &Cover, sites: &[usize]) -> (Vec<Shelf>, Vec<usize>) {
    let rows = || sites.iter().map(|site| &cover.sites[*site].row);
    let mut ends = vec![0; cover.items_count()];
    for (item, _) in rows().flatten() {
        ends[*item] += 1;
    }
    let mut next: Vec<usize> = Vec::with_capacity(ends.len());
    let mut sum = 0;
    for end in &mut ends {
        next.push(sum);
        sum += *end;
        *end = sum;
    }
    let mut shelves = vec![(Reverse(0), 0); sum];
    for (place, row) in rows().enumerate() {
        for (item, stock) in row {
            shelves[next[*item]] = (Reverse(*stock), place);
            next[*item] += 1;
        }
    }
    (shelves, ends)
}

/// Returns the percentage of the stock that remains, rounded down.
fn share_left(stock: i64, taken: i64) -> u32 {
    let left = stock - taken;
    // If the product would overflow, a hundredth of the stock is exact enough.
    let share = left.checked_mul(100).map_or_else(|| left / (stock / 100), |product| product / stock.max(1));
    u32::try_from(share).unwrap_or(0)
}
