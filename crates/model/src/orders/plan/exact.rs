//! The exact search: compares all sets of one site, then of two, and so on. It skips only sets that cannot cover the
//! demand or cannot rank, and ends when enough plans are found or the budget is exhausted.

use super::cover::{Cost, Cover, covers, without};
use super::limits::ROW_STEPS;
use super::shortlist::Shortlist;
use crate::platform::step_budget::{StepBudget, StepsSpent};

/// Maximum number of sites, besides those that every plan needs, of which all combinations are compared.
pub(super) const EXACT_LOCATIONS_MAX: usize = 8;

/// The reason why the comparison of all combinations ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    Steps,
    Locations,
}

/// The facts that the search has proven.
#[derive(Debug)]
pub(super) struct Proof {
    /// No plan has fewer sites than this.
    pub least_count: usize,
    /// Whether the first plan is proven to be the best.
    pub is_best: bool,
    /// `None` if no set that could rank was skipped.
    pub stop: Option<Stop>,
    /// The steps that were made outside of the budget.
    pub unlimited_steps: u64,
}

/// Fills the shortlist with the best plans.
pub(super) fn search(cover: &Cover, shortlist: &mut Shortlist, budget: &mut StepBudget) -> Proof {
    // Work that is proportional to the input is always done, however large the input is.
    let mut unlimited = StepBudget::unlimited();
    let mut proof = if cover.wanted.is_empty() {
        // The forced sites cover the demand, so a plan with any other site would have a superfluous one. This is the
        // only plan.
        let is_best = shortlist.offer(cover, cover.forced.clone(), &mut unlimited).is_ok();
        Proof { least_count: cover.forced.len(), is_best, stop: None, unlimited_steps: 0 }
    } else {
        deepen(cover, shortlist, &mut unlimited, budget)
    };
    proof.unlimited_steps = unlimited.used;
    proof
}

/// Searches for plans with one more site, then with two more, and so on.
fn deepen(
    cover: &Cover,
    shortlist: &mut Shortlist,
    unlimited: &mut StepBudget,
    budget: &mut StepBudget,
) -> Proof {
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
    budget: &'a mut StepBudget,
    chosen: Vec<usize>,
    /// Sites whose sets were all examined at a higher level of the search.
    is_excluded: Vec<bool>,
}

impl<'a> Search<'a> {
    fn new(cover: &'a Cover, shortlist: &'a mut Shortlist, budget: &'a mut StepBudget) -> Self {
        let is_excluded = vec![false; cover.sites.len()];
        Self { cover, shortlist, budget, chosen: cover.forced.clone(), is_excluded }
    }

    fn run(mut self, places: usize) -> Result<(), StepsSpent> {
        let cover = self.cover;
        self.descend(&cover.wanted, cover.cost(&cover.forced), places)
    }

    /// Offers every set that adds `places` sites to the chosen ones and covers the wanted quantities.
    fn descend(&mut self, wanted: &[(usize, i64)], cost: Cost, places: usize) -> Result<(), StepsSpent> {
        self.budget.spend((wanted.len() * places) as u64)?;
        let Some(pivot) = self.cover.pivot(wanted, places) else { return Ok(()) };
        if places == 1 {
            return self.close(wanted, cost, pivot);
        }
        self.budget.spend(pivot.len() as u64)?;
        let mut sites: Vec<usize> = pivot.iter().map(|(_, site)| *site).collect();
        sites.retain(|site| !self.is_excluded[*site]);
        // The nearest site first: a good plan that is found early lets more sets be skipped.
        sites.sort_unstable();
        let count = self.chosen.len() + places;
        let mut ended = Ok(());
        let mut tried = 0;
        for site in &sites {
            let cost = cost.with(self.cover.sites[*site].cost);
            if self.shortlist.beats(count, cost) {
                break;
            }
            // The site is excluded while it is tried, because no set contains a site twice, and afterwards, because
            // all sets with it were examined.
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
    ) -> Result<(), StepsSpent> {
        self.budget.spend(ROW_STEPS + wanted.len() as u64)?;
        let left = without(wanted, &self.cover.sites[site].row);
        // A set that covers the demand with fewer sites was found at an earlier size.
        if left.is_empty() {
            return Ok(());
        }
        self.chosen.push(site);
        let ended = self.descend(&left, cost, places - 1);
        self.chosen.pop();
        ended
    }

    /// Offers every set that one more site completes.
    fn close(
        &mut self,
        wanted: &[(usize, i64)],
        cost: Cost,
        pivot: &[(i64, usize)],
    ) -> Result<(), StepsSpent> {
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
