//! Look-ups of host names for organisations, which share them fairly: names of one organisation that are never resolved do not
//! delay the deliveries of another.

use std::sync::Arc;

use model::platform::fair::Tenant;
use model::{Error, Id, Owner, Result};
use outbound::{
    GrantedPermit, LOOKUPS_EACH_MAX, LOOKUPS_MAX, LookupPermits, Network, Outbound, Party, SystemLookup,
};
use printing::Sender;
use store::FairPermits;

/// Permits that organisations get in turn. The server's own look-ups count as those of one more tenant.
struct FairLookups(FairPermits);

impl FairLookups {
    fn new() -> Self {
        Self(FairPermits::new(LOOKUPS_MAX, LOOKUPS_EACH_MAX))
    }
}

impl LookupPermits for FairLookups {
    fn acquire(&self, party: Option<Party>) -> GrantedPermit<'_> {
        let tenant = party.map_or(Tenant::System, |Party(bits)| Tenant::Organisation(Id::from_bits(bits)));
        Box::pin(async move { Box::new(self.0.acquire(tenant).await) as Box<dyn Send> })
    }
}

/// Returns a client that reaches public addresses and these networks, and whose look-ups organisations share fairly.
pub fn fair_outbound(allow: &[Network]) -> Result<Outbound> {
    let lookup = SystemLookup::new(FairLookups::new());
    Outbound::with_lookup(allow, Arc::new(lookup)).map_err(Error::fault)
}

/// Returns a sender that reaches printers in these networks and nothing else, and whose look-ups organisations share fairly.
pub fn fair_sender(networks: &[Network]) -> Result<Sender> {
    Sender::new(networks, Arc::new(SystemLookup::new(FairLookups::new()))).map_err(Error::fault)
}

/// Returns the party as which the requests of an organisation are sent. Its two worlds are one party.
pub fn party(owner: Owner) -> Party {
    Party(owner.organisation.bits())
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use model::World;
    use outbound::Lookup;
    use tokio::time::{sleep, timeout};

    use super::*;

    /// More than there are look-ups in all.
    const HANGING: usize = 200;
    /// Far longer than anything takes here. A test that waits this long has failed.
    const LONG: Duration = Duration::from_secs(60);
    const ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    fn owner(number: u128, world: World) -> Owner {
        Owner { organisation: Id::from_bits(number), world }
    }

    #[tokio::test]
    async fn names_of_one_organisation_that_hang_leave_look_ups_to_others() {
        let (let_go, gone) = channel::<()>();
        let (gone, held) = (Mutex::new(gone), Arc::new(AtomicUsize::new(0)));
        let count = Arc::clone(&held);
        let lookup = Arc::new(SystemLookup::with_resolver(FairLookups::new(), move |host| {
            if host.starts_with("hang") {
                count.fetch_add(1, Ordering::SeqCst);
                // It ends when the sender is dropped. One thread waits for that, and the others for the lock.
                let _ended = gone.lock().map(|gone| gone.recv());
            }
            Ok(vec![ADDRESS])
        }));
        let look_up = |host: String, party: Option<Party>| {
            let lookup = Arc::clone(&lookup);
            tokio::spawn(async move { lookup.addresses(&host, party).await })
        };
        let worlds = [World::Live, World::Test];
        let hanging: Vec<_> = (0..HANGING)
            .map(|number| look_up(format!("hang{number}"), Some(party(owner(1, worlds[number % 2])))))
            .collect();
        let all_held = async {
            while held.load(Ordering::SeqCst) < LOOKUPS_EACH_MAX {
                sleep(Duration::from_millis(1)).await;
            }
        };
        timeout(LONG, all_held).await.expect("the look-ups have begun");
        for other in [None, Some(party(owner(2, World::Live))), Some(party(owner(3, World::Test)))] {
            let found = timeout(LONG, look_up("shop".to_owned(), other)).await.expect("its turn");
            assert_eq!(found.unwrap().unwrap(), [ADDRESS]);
        }
        assert_eq!(held.load(Ordering::SeqCst), LOOKUPS_EACH_MAX, "both worlds together have one share");
        drop(let_go);
        for name in hanging {
            timeout(LONG, name).await.expect("it was let go").unwrap().unwrap();
        }
    }
}
