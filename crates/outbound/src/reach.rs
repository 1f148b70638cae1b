//! Which addresses may be reached: the public ones, and those that the operator allows; or, for a client that is made so, only
//! the latter.
//!
//! A customer names the URL, but this server opens the connection, from inside the operator's network. So everything that is
//! not plainly the public internet is refused. IPv6 addresses that contain an IPv4 address are no way around it: mapped
//! addresses are judged as the IPv4 address, and all other embeddings are refused.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::Network;

/// Blocks of IPv4 that are not the public internet (IANA's special-purpose registry, and what clouds put beside it).
const SPECIAL_V4: [([u8; 4], u32, &str); 17] = [
    ([0, 0, 0, 0], 8, "this network; the unspecified address reaches the machine itself"),
    ([10, 0, 0, 0], 8, "private"),
    ([100, 64, 0, 0], 10, "shared by carriers' NAT; some clouds keep metadata here"),
    ([127, 0, 0, 0], 8, "loopback"),
    ([168, 63, 129, 16], 32, "a cloud's own services, at an address that looks public"),
    ([169, 254, 0, 0], 16, "link-local; most clouds keep metadata here"),
    ([172, 16, 0, 0], 12, "private"),
    ([192, 0, 0, 0], 24, "protocol assignments; a cloud keeps metadata here"),
    ([192, 0, 2, 0], 24, "documentation"),
    ([192, 88, 99, 0], 24, "relays of 6to4"),
    ([192, 168, 0, 0], 16, "private"),
    ([198, 18, 0, 0], 15, "benchmarks"),
    ([198, 51, 100, 0], 24, "documentation"),
    ([203, 0, 113, 0], 24, "documentation"),
    ([224, 0, 0, 0], 4, "multicast"),
    ([240, 0, 0, 0], 4, "reserved"),
    ([255, 255, 255, 255], 32, "broadcast"),
];

/// The only block of IPv6 from which public addresses are given out. Loopback, unique local, link-local, site-local,
/// multicast, discard, NAT64, IPv4-compatible, translated and SRv6 addresses are all outside it.
const GLOBAL_V6: ([u16; 8], u32) = ([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);

/// Blocks inside `GLOBAL_V6` that are not the public internet after all.
const SPECIAL_V6: [([u16; 8], u32, &str); 5] = [
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23, "protocol assignments: Teredo, benchmarks, ORCHID"),
    ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32, "documentation"),
    ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16, "6to4, which carries any address of IPv4"),
    ([0x3ffe, 0, 0, 0, 0, 0, 0, 0], 16, "the 6bone, given back"),
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, "documentation"),
];

/// Judges addresses.
pub struct Reach {
    allow: Vec<Network>,
    has_public: bool,
}

impl Reach {
    pub fn new(allow: &[Network]) -> Self {
        Self { allow: allow.to_vec(), has_public: true }
    }

    /// Only these networks: an address that is merely public is not reached.
    pub fn only(allow: &[Network]) -> Self {
        Self { allow: allow.to_vec(), has_public: false }
    }

    /// The address to connect to, if it may be reached. Only what comes out of here is ever connected.
    pub fn admit(&self, address: IpAddr) -> Option<IpAddr> {
        let address = address.to_canonical();
        if self.has_public && is_public(address) { Some(address) } else { self.admit_allowed(address) }
    }

    /// As [`Reach::admit`], if the operator allowed its network; not if it is merely public.
    pub fn admit_allowed(&self, address: IpAddr) -> Option<IpAddr> {
        let address = address.to_canonical();
        self.allow.iter().any(|network| network.contains(address)).then_some(address)
    }

    /// Whether public addresses may be reached.
    pub fn has_public(&self) -> bool {
        self.has_public
    }

    /// Whether the operator allowed any network.
    pub fn has_allowed(&self) -> bool {
        !self.allow.is_empty()
    }
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let bits = address.to_bits();
    SPECIAL_V4.iter().all(|(first, prefix, _)| (bits ^ u32::from_be_bytes(*first)) >> (32 - prefix) != 0)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let bits = address.to_bits();
    let is_in =
        |first: [u16; 8], prefix: u32| (bits ^ Ipv6Addr::from(first).to_bits()) >> (128 - prefix) == 0;
    // ISATAP carries an address of IPv4 behind any prefix, marked by these two groups.
    let is_isatap = matches!(address.segments()[4..6], [0 | 0x200, 0x5efe]);
    is_in(GLOBAL_V6.0, GLOBAL_V6.1)
        && !is_isatap
        && !SPECIAL_V6.iter().any(|(first, prefix, _)| is_in(*first, *prefix))
}
