//! The exact search: compares all sets of one site, then of two, and so on, leaving out only those that
//! cannot cover or cannot rank, until enough are found or the budget ends.

use super::budget::{Budget, ROW_STEPS, Spent};
use super::cover::{Cost, Cover, covers, without};
use super::shortlist::Shortlist;

/// The most sites, beyond those that every plan needs, of which all combinations are compared.
pub(super) const EXACT_LOCATIONS_MAX: usize = 8;

/// Why the comparison of all combinations ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    Steps,
    Locations,
}

/// What the search has proven.
#[derive(Debug)]
pub(super) struct Proof {
    /// No plan has fewer sites than this.
    pub least_count: usize,
    /// The first pick is the best there is.
    pub is_best: bool,
    /// Absent when nothing that could rank was left out.
    pub stop: Option<Stop>,
    /// The steps that were always made, beside those of the budget.
    pub unlimited_steps: u64,
}

/// Fills the shortlist with the best picks.
pub(super) fn search(cover: &Cover, shortlist: &mut Shortlist, budget: &mut Budget) -> Proof {
    // What is no more work than reading the input is always done, however large the input.
    let mut unlimited = Budget::new(u64::MAX);
    let mut proof = if cover.wanted.is_empty() {
        // The forced sites have everything, so any other site is one too many: there is this one plan only.
        let is_best = shortlist.offer(cover, cover.forced.clone(), &mut unlimited).is_ok();
        Proof { least_count: cover.forced.len(), is_best, stop: None, unlimited_steps: 0 }
    } else {
        deepen(cover, shortlist, &mut unlimited, budget)
    };
    proof.unlimited_steps = unlimited.used;
    proof
}

/// Looks for plans of one more site, then of two more, and so on.
fn deepen(cover: &Cover, shortlist: &mut Shortlist, unlimited: &mut Budget, budget: &mut Budget) -> Proof {
    let (forced, least) = (cover.forced.len(), cover.least_more());
    let mut proof = Proof { least_count: forced + least, is_best: false, stop: None, unlimited_steps: 0 };
    for places in least..=cover.free_count() {
        if shortlist.is_full() {
            break;
        }
        if places > EXACT_LOCATIONS_MAX {
            proof.stop = Some(Stop::Locations);
            break;
        }
        let budget = if places == 1 { &mut *unlimited } else { &mut *budget };
        if Search::new(cover, shortlist, budget).run(places).is_err() {
            proof.stop = Some(Stop::Steps);
            break;
        }
        if shortlist.picks.is_empty() {
            proof.least_count = forced + places + 1;
        } else {
            proof.is_best = true;
        }
    }
    proof
}

struct Search<'a> {
    cover: &'a Cover,
    shortlist: &'a mut Shortlist,
    budget: &'a mut Budget,
    chosen: Vec<usize>,
    /// Sites of which all sets were already looked at, further up.
    is_excluded: Vec<bool>,
}

impl<'a> Search<'a> {
    fn new(cover: &'a Cover, shortlist: &'a mut Shortlist, budget: &'a mut Budget) -> Self {
        let is_excluded = vec![false; cover.sites.len()];
        Self { cover, shortlist, budget, chosen: cover.forced.clone(), is_excluded }
    }

    fn run(mut self, places: usize) -> Result<(), Spent> {
        let cover = self.cover;
        self.descend(&cover.wanted, cover.cost(&cover.forced), places)
    }

    /// Offers every set that adds `places` sites to the chosen ones and has all that is wanted.
    fn descend(&mut self, wanted: &[(usize, i64)], cost: Cost, places: usize) -> Result<(), Spent> {
        self.budget.spend((wanted.len() * places) as u64)?;
        let Some(pivot) = self.cover.pivot(wanted, places) else { return Ok(()) };
        if places == 1 {
            return self.close(wanted, cost, pivot);
        }
        self.budget.spend(pivot.len() as u64)?;
        let mut sites: Vec<usize> = pivot.iter().map(|(_, site)| *site).collect();
        sites.retain(|site| !self.is_excluded[*site]);
        // The nearest first: what is found early lets the rest be left out.
        sites.sort_unstable();
        let count = self.chosen.len() + places;
        let mut ended = Ok(());
        let mut tried = 0;
        for site in &sites {
            let cost = cost.with(self.cover.sites[*site].cost);
            if self.shortlist.beats(count, cost) {
                break;
            }
            // It is excluded while it is tried, because no set has a site twice, and from then on, because
            // all sets with it were looked at.
            self.is_excluded[*site] = true;
            tried += 1;
            ended = self.try_with(*site, wanted, cost, places);
            if ended.is_err() {
                break;
            }
        }
        for site in &sites[..tried] {
            self.is_excluded[*site] = false;
        }
        ended
    }

    fn try_with(
        &mut self,
        site: usize,
        wanted: &[(usize, i64)],
        cost: Cost,
        places: usize,
    ) -> Result<(), Spent> {
        self.budget.spend(ROW_STEPS + wanted.len() as u64)?;
        let left = without(wanted, &self.cover.sites[site].row);
        // A set that has everything with places to spare was found before, with fewer places.
        if left.is_empty() {
            return Ok(());
        }
        self.chosen.push(site);
        let ended = self.descend(&left, cost, places - 1);
        self.chosen.pop();
        ended
    }

    /// Offers every set that one more site completes.
    fn close(&mut self, wanted: &[(usize, i64)], cost: Cost, pivot: &[(i64, usize)]) -> Result<(), Spent> {
        for (_, site) in pivot {
            self.budget.spend(1)?;
            let beaten = self.shortlist.beats(self.chosen.len() + 1, cost.with(self.cover.sites[*site].cost));
            if beaten || self.is_excluded[*site] {
                continue;
            }
            if covers(&self.cover.sites[*site].row, wanted, self.budget)? {
                let sites = self.chosen.iter().copied().chain([*site]).collect();
                self.shortlist.offer(self.cover, sites, self.budget)?;
            }
        }
        Ok(())
    }
}
