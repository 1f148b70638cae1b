//! The few best plans found so far: what each draws from which site, and the ranking between them.

use std::cmp::Reverse;

use super::PROPOSALS_MAX;
use super::budget::{Budget, Spent};
use super::cover::{Cost, Cover, Row, Slack, amount};

/// Steps for each shelf that a plan may draw from: to sum it, to sort it, and to draw.
const DRAW_STEPS: u64 = 4;

/// A set of sites that has everything and could do without none of them.
pub(super) struct Pick {
    /// By number, so with the nearest first.
    pub sites: Vec<usize>,
    pub draw: Draw,
    cost: Cost,
    /// The sites' places in the order of their ids, sorted: the last resort that makes the ranking total.
    ranks: Vec<usize>,
}

impl Pick {
    fn key(&self) -> (usize, Cost, Reverse<u32>, &[usize]) {
        (self.sites.len(), self.cost, Reverse(self.draw.balance), &self.ranks)
    }
}

/// The best picks, best first.
#[derive(Default)]
pub(super) struct Shortlist {
    pub picks: Vec<Pick>,
}

impl Shortlist {
    pub fn is_full(&self) -> bool {
        self.picks.len() == PROPOSALS_MAX
    }

    /// Whether no plan of so many sites that is at least so far can enter the list.
    pub fn beats(&self, sites: usize, cost: Cost) -> bool {
        self.is_full()
            && self.picks.last().is_some_and(|worst| (sites, cost) > (worst.sites.len(), worst.cost))
    }

    /// Takes a set of sites that has everything, if it ranks among the best and needs all its sites.
    pub fn offer(&mut self, cover: &Cover, mut sites: Vec<usize>, budget: &mut Budget) -> Result<(), Spent> {
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

/// What a set of sites gives.
pub(super) struct Draw {
    /// For each site of the set, in its order.
    pub rows: Vec<Row>,
    /// The per cent of stock that is left where least is left.
    pub balance: u32,
    /// How many items come from more than one site.
    pub split_count: usize,
}

impl Draw {
    /// Draws each item from where most of it lies, and from the next only when that is not enough: stock
    /// stays even, and few items are split. Equal stock is drawn from the nearer site.
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

/// How much a site has of some item, and the site's place in its set; sorted, the most comes first.
type Shelf = (Reverse<i64>, usize);

/// All shelves of a set, grouped by item, and where each item's group ends. One list for all, because a list
/// for each item would cost more than the drawing.
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

/// The per cent of the stock that is left, rounded down.
fn share_left(stock: i64, taken: i64) -> u32 {
    let left = stock - taken;
    // Where the product would overflow, a hundredth of the stock is exact enough.
    let share = left.checked_mul(100).map_or_else(|| left / (stock / 100), |product| product / stock.max(1));
    u32::try_from(share).unwrap_or(0)
}
