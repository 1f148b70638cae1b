//! Shares: which due purchases a node claims, so that many purchases of one tenant or batch don't delay the few of others.

use std::collections::HashMap;

use model::{CarrierAccount, Id};
use store::shipping::purchases::Due;

use super::places::Line;

/// Purchases that share call permits: a carrier account, and the queue for its permits.
pub type Lane = (Id<CarrierAccount>, Line);

/// Takes in turns from each lane, the emptiest first, until a lane has as many as it may or there is no more room.
///
/// `due` has the purchases of each lane in the order in which they are due, and `held` how many of each this node has
/// already.
pub fn share(due: Vec<Due>, held: &HashMap<Lane, usize>, lane_max: usize, room: usize) -> Vec<Due> {
    let mut counts = held.clone();
    // A purchase's rank is how full its lane is with it, so purchases of emptier lanes come first.
    let mut ranked: Vec<(usize, usize, Due)> = Vec::with_capacity(due.len());
    for (order, due) in due.into_iter().enumerate() {
        let count = counts.entry((due.account, due.batch)).or_default();
        *count += 1;
        if *count <= lane_max {
            ranked.push((*count, order, due));
        }
    }
    ranked.sort_by_key(|(count, order, _)| (*count, *order));
    ranked.truncate(room);
    ranked.into_iter().map(|(_, _, due)| due).collect()
}

#[cfg(test)]
mod tests {
    use model::{Owner, World};
    use proptest::prelude::*;

    use super::*;

    fn due(account: u128, batch: u128, id: u128) -> Due {
        let owner = Owner { organisation: Id::from_bits(account), world: World::Live };
        let batch = (batch > 0).then(|| Id::from_bits(batch));
        Due { owner, id: Id::from_bits(id), account: Id::from_bits(account), batch }
    }

    #[test]
    fn one_batch_with_many_does_not_keep_the_few_of_another_waiting() {
        let many = (0..500).map(|id| due(1, 1, id));
        let few = (500..503).map(|id| due(2, 0, id));
        let taken = share(many.chain(few).collect(), &HashMap::new(), 16, 32);
        let of = |account| taken.iter().filter(|due| due.account == Id::from_bits(account)).count();
        assert_eq!((of(1), of(2)), (16, 3));
    }

    #[test]
    fn where_there_is_room_for_one_the_emptiest_lane_has_it() {
        let held = HashMap::from([((Id::from_bits(1), None), 5), ((Id::from_bits(2), None), 1)]);
        let taken = share(vec![due(1, 0, 1), due(2, 0, 2)], &held, 16, 1);
        assert_eq!(taken.iter().map(|due| due.id).collect::<Vec<_>>(), [Id::from_bits(2)]);
    }

    proptest! {
        #[test]
        fn no_lane_has_more_than_it_may_and_no_room_is_left_while_some_may(
            lanes in prop::collection::vec((1u128..5, 0u128..4), 0..200),
            lane_max in 1usize..40, room in 0usize..100,
        ) {
            let all: Vec<Due> =
                lanes.iter().enumerate().map(|(id, (account, batch))| due(*account, *batch, id as u128)).collect();
            let mut sizes: HashMap<Lane, usize> = HashMap::new();
            for due in &all {
                *sizes.entry((due.account, due.batch)).or_default() += 1;
            }
            let possible: usize = sizes.values().map(|size| (*size).min(lane_max)).sum();
            let taken = share(all, &HashMap::new(), lane_max, room);
            prop_assert_eq!(taken.len(), possible.min(room));
            let mut counts: HashMap<Lane, usize> = HashMap::new();
            for due in &taken {
                *counts.entry((due.account, due.batch)).or_default() += 1;
            }
            prop_assert!(counts.values().all(|count| *count <= lane_max));
        }
    }
}
