//! The heuristic search for problems with too many combinations: builds plans site by site, removes superfluous
//! sites, and improves plans by exchanging sites.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::cover::{Cover, Row, Slack, covers, without};
use super::limits::ROW_STEPS;
use super::shortlist::{PROPOSALS_MAX, Shortlist};
use crate::platform::step_budget::{StepBudget, StepsSpent};

/// How much of the wanted quantities a site has, and the site. Of equal gains, the nearest site is the greatest.
type Gain = (u64, Reverse<usize>);

/// Adds plans to the shortlist until the budget is exhausted. The first two plans are always built, so that there is
/// a plan whenever there is stock.
pub(super) fn search(
    cover: &Cover,
    shortlist: &mut Shortlist,
    budget: &mut StepBudget,
) -> Result<(), StepsSpent> {
    // Whether a first plan is kept must not depend on the remaining budget.
    let mut unlimited = StepBudget::unlimited();
    let near = spare(cover, by_nearness(cover, cover.forced.clone(), None));
    shortlist.offer(cover, near.clone(), &mut unlimited)?;
    let gain_of = |site: usize| cover.gain(&cover.wanted, &cover.sites[site].row);
    let free_sites = (0..cover.sites.len()).filter(|site| !cover.is_forced(*site));
    let gains: Vec<Gain> = free_sites.map(|site| (gain_of(site), Reverse(site))).collect();
    let full = spare(cover, by_gain(cover, &gains, None, budget));
    shortlist.offer(cover, full.clone(), &mut unlimited)?;
    for sites in [full, near] {
        improve(cover, sites, shortlist, budget)?;
    }
    // Every other plan lacks at least one site of the best plan, so each of its sites is left out in turn.
    let best = shortlist.picks.first().map_or_else(Vec::new, |pick| pick.sites.clone());
    let replaceable = best.into_iter().rev().filter(|site| !cover.is_forced(*site));
    for banned in replaceable.take(PROPOSALS_MAX) {
        let sites = spare(cover, by_gain(cover, &gains, Some(banned), budget));
        improve(cover, sites, shortlist, budget)?;
    }
    Ok(())
}

/// Adds the nearest sites that have some of the lacking quantities, until nothing is lacking.
fn by_nearness(cover: &Cover, mut sites: Vec<usize>, banned: Option<usize>) -> Vec<usize> {
    let mut left = Slack::of(cover, sites.iter().copied()).lacks(cover);
    // A site of the set has already supplied its stock. It must not be counted twice.
    let mut is_barred = vec![false; cover.sites.len()];
    for site in sites.iter().copied().chain(banned) {
        is_barred[site] = true;
    }
    for site in (0..cover.sites.len()).filter(|site| !is_barred[*site]) {
        if left.is_empty() {
            break;
        }
        let then = without(&left, &cover.sites[site].row);
        if then != left {
            sites.push(site);
            left = then;
        }
    }
    sites
}

/// Repeatedly adds the site that has most of the lacking quantities. A site's gain only decreases while the set
/// grows, so a site whose updated gain still leads need not be compared with the others.
fn by_gain(cover: &Cover, gains: &[Gain], banned: Option<usize>, budget: &mut StepBudget) -> Vec<usize> {
    let mut sites = cover.forced.clone();
    let mut left = cover.wanted.clone();
    let mut heap: BinaryHeap<Gain> =
        gains.iter().copied().filter(|(_, Reverse(site))| Some(*site) != banned).collect();
    while let (false, Some((_, Reverse(site)))) = (left.is_empty(), heap.pop()) {
        if budget.spend(ROW_STEPS + left.len() as u64).is_err() {
            return by_nearness(cover, sites, banned);
        }
        let entry = (cover.gain(&left, &cover.sites[site].row), Reverse(site));
        if heap.peek().is_some_and(|next| *next > entry) {
            heap.push(entry);
            continue;
        }
        let then = without(&left, &cover.sites[site].row);
        if then != left {
            sites.push(site);
            left = then;
        }
    }
    sites
}

/// Removes the sites that the others make superfluous, the farthest first.
fn spare(cover: &Cover, mut sites: Vec<usize>) -> Vec<usize> {
    sites.sort_unstable();
    let mut slack = Slack::of(cover, sites.iter().copied());
    for place in (0..sites.len()).rev() {
        if slack.spares(cover, sites[place]) {
            slack.remove(cover, sites[place]);
            sites.remove(place);
        }
    }
    sites
}

/// Exchanges sites as long as that improves the plan, and offers each result.
fn improve(
    cover: &Cover,
    mut sites: Vec<usize>,
    shortlist: &mut Shortlist,
    budget: &mut StepBudget,
) -> Result<(), StepsSpent> {
    loop {
        shortlist.offer(cover, sites.clone(), budget)?;
        sites = match swap_one(cover, &sites, budget)? {
            Some(nearer) => nearer,
            None => match merge_two(cover, &sites, budget)? {
                Some(fewer) => fewer,
                None => return Ok(()),
            },
        };
    }
}

/// Replaces one site by a nearer one that has the quantities that only the replaced site supplied. Tries the farthest
/// site first.
fn swap_one(
    cover: &Cover,
    sites: &[usize],
    budget: &mut StepBudget,
) -> Result<Option<Vec<usize>>, StepsSpent> {
    for site in sites.iter().rev().filter(|site| !cover.is_forced(**site)) {
        let lacks = lacks_without(cover, sites, &[*site], budget)?;
        let found = closest(cover, &lacks, sites, budget)?;
        if let Some(other) = found.filter(|other| cover.sites[*other].cost < cover.sites[*site].cost) {
            return Ok(Some(spare(cover, exchanged(sites, &[*site], other))));
        }
    }
    Ok(None)
}

/// Replaces two sites by one.
fn merge_two(
    cover: &Cover,
    sites: &[usize],
    budget: &mut StepBudget,
) -> Result<Option<Vec<usize>>, StepsSpent> {
    let free: Vec<usize> = sites.iter().copied().filter(|site| !cover.is_forced(*site)).rev().collect();
    for (place, first) in free.iter().enumerate() {
        for second in &free[place + 1..] {
            let lacks = lacks_without(cover, sites, &[*first, *second], budget)?;
            if let Some(other) = closest(cover, &lacks, sites, budget)? {
                return Ok(Some(spare(cover, exchanged(sites, &[*first, *second], other))));
            }
        }
    }
    Ok(None)
}

fn exchanged(sites: &[usize], removed: &[usize], added: usize) -> Vec<usize> {
    sites.iter().copied().filter(|site| !removed.contains(site)).chain([added]).collect()
}

fn lacks_without(
    cover: &Cover,
    sites: &[usize],
    removed: &[usize],
    budget: &mut StepBudget,
) -> Result<Row, StepsSpent> {
    budget.spend(sites.iter().map(|site| cover.sites[*site].row.len() as u64).sum())?;
    let rest = sites.iter().copied().filter(|site| !removed.contains(site));
    Ok(Slack::of(cover, rest).lacks(cover))
}

/// Returns the nearest site outside of the set that alone has the lacking quantities. The set must be sorted.
fn closest(
    cover: &Cover,
    lacks: &[(usize, i64)],
    sites: &[usize],
    budget: &mut StepBudget,
) -> Result<Option<usize>, StepsSpent> {
    budget.spend(lacks.len() as u64)?;
    let mut nearest: Option<usize> = None;
    for (_, site) in cover.pivot(lacks, 1).unwrap_or_default() {
        budget.spend(1)?;
        let is_nearer = nearest.is_none_or(|known| *site < known) && sites.binary_search(site).is_err();
        if is_nearer && covers(&cover.sites[*site].row, lacks, budget)? {
            nearest = Some(*site);
        }
    }
    Ok(nearest)
}

#[cfg(test)]
mod tests {
    use super::super::cover::{Cost, Site};
    use super::*;
    use crate::places::geo::Distance;

    /// Creates a problem with four items, one of each wanted, and sites with these distances in kilometres and these
    /// items, nearest first.
    fn cover(sites: &[(f64, &[usize])]) -> Cover {
        let site = |(rank, (km, items)): (usize, &(f64, &[usize]))| Site {
            rank,
            cost: Cost::of(Some(Distance::Kilometres { km: *km, confidence: 1.0 })),
            row: items.iter().map(|item| (*item, 1)).collect(),
        };
        Cover::new(&[1; 4], sites.iter().enumerate().map(site).collect())
    }

    fn unlimited() -> StepBudget {
        StepBudget::unlimited()
    }

    #[test]
    fn a_site_is_exchanged_for_a_nearer_one_that_has_what_only_it_supplied() {
        let cover = cover(&[(1.0, &[0, 1]), (2.0, &[2, 3]), (9.0, &[0, 1, 2])]);
        assert_eq!(swap_one(&cover, &[1, 2], &mut unlimited()).unwrap(), Some(vec![0, 1]));
        assert_eq!(swap_one(&cover, &[0, 1], &mut unlimited()).unwrap(), None);
    }

    #[test]
    fn two_sites_are_exchanged_for_one_that_has_what_both_supplied() {
        let cover = cover(&[(1.0, &[0]), (2.0, &[1]), (3.0, &[2, 3]), (4.0, &[0, 1]), (5.0, &[2, 3])]);
        assert_eq!(merge_two(&cover, &[0, 1, 2], &mut unlimited()).unwrap(), Some(vec![2, 3]));
        assert_eq!(merge_two(&cover, &[2, 3], &mut unlimited()).unwrap(), None);
    }

    #[test]
    fn what_the_other_sites_make_superfluous_is_left_out_the_farthest_first() {
        let cover = cover(&[(1.0, &[0, 1]), (2.0, &[1, 2]), (3.0, &[2, 3]), (4.0, &[0, 3])]);
        assert_eq!(spare(&cover, vec![3, 2, 1, 0]), [0, 2]);
    }

    #[test]
    fn without_anything_to_spend_there_is_still_a_plan() {
        let cover = cover(&[(1.0, &[0]), (2.0, &[0, 1]), (3.0, &[2]), (4.0, &[2, 3]), (5.0, &[1, 3])]);
        let mut shortlist = Shortlist::default();
        assert!(search(&cover, &mut shortlist, &mut StepBudget::new(0)).is_err());
        let picks: Vec<&[usize]> = shortlist.picks.iter().map(|pick| pick.sites.as_slice()).collect();
        assert_eq!(picks, [[1, 3]]);
    }
}
