//! The judgement of addresses, in all the forms that an address can take.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use proptest::prelude::*;

use super::networks;
use crate::reach::Reach;
use crate::target::Named;
use crate::{Network, Target};

fn is_admitted(reach: &Reach, address: &str) -> bool {
    reach.admit(address.parse().unwrap()).is_some()
}

/// The last addresses before refused blocks and the first behind them, and some well-known ones.
const PUBLIC: &str = "
    1.0.0.0 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
    168.63.129.15 168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255
    192.0.1.0 192.0.3.0 192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0
    198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255 2000:: 2001:200::1
    2001:db7:ffff::1 2001:db9:: 2001:4860:4860::8888 2003::1 2606:4700:4700::1111
    2a00:1450:4001:81b::200e 3ffd:ffff::1 3fff:1000::1 ::ffff:8.8.8.8";

/// The first and last addresses of refused blocks.
const REFUSED: &str = "
    0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.0 127.255.255.255
    168.63.129.16 169.254.0.0 169.254.255.255 172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.255 192.0.2.0
    192.0.2.255 192.88.99.0 192.88.99.255 192.168.0.0 192.168.255.255 198.18.0.0 198.19.255.255
    198.51.100.0 198.51.100.255 203.0.113.0 203.0.113.255 224.0.0.0 239.255.255.255 240.0.0.0
    255.255.255.255 :: ::1 ::8.8.8.8 ::ffff:0:8.8.8.8 64:ff9b::8.8.8.8 64:ff9b:1:: 100:: 1fff:ffff::
    2001:: 2001:1ff:ffff:: 2001:db8:: 2001:db8:ffff:: 2002:: 2002:ffff:: 3ffe:: 3fff:: 3fff:fff:: 4000::
    5f00:: fc00:: fdff:: fe80:: febf:: fec0:: ff00:: 2a00::5efe:8.8.8.8 2a00::200:5efe:8.8.8.8";

#[test]
fn the_neighbours_of_refused_blocks_are_public() {
    let reach = Reach::new(&[]);
    for address in PUBLIC.split_whitespace() {
        assert!(is_admitted(&reach, address), "{address}");
    }
    for address in REFUSED.split_whitespace() {
        assert!(!is_admitted(&reach, address), "{address}");
    }
}

#[test]
fn an_allowed_network_opens_itself_and_nothing_else() {
    let reach = Reach::new(&networks(&["10.1.0.0/16", "fd12:3456::/32"]));
    for address in ["10.1.0.0", "10.1.255.255", "::ffff:10.1.2.3", "fd12:3456::1", "8.8.8.8"] {
        assert!(is_admitted(&reach, address), "{address}");
    }
    let others = [
        "10.0.255.255",
        "10.2.0.0",
        "127.0.0.1",
        "64:ff9b::10.1.2.3",
        "2002:a01:203::",
        "::10.1.2.3",
        "fd12:3457::",
    ];
    for address in others {
        assert!(!is_admitted(&reach, address), "{address}");
    }
    let mapped = "::ffff:10.1.2.3".parse().unwrap();
    assert_eq!(reach.admit(mapped), Some("10.1.2.3".parse().unwrap()), "what is judged is what is connected");
}

/// Any address, and often one near the edge of a block.
fn any_v4() -> impl Strategy<Value = Ipv4Addr> {
    let edges: [u32; 12] = [
        0x0000_0000,
        0x0a00_0000,
        0x6440_0000,
        0x7f00_0000,
        0x7f00_0001,
        0xa83f_8110,
        0xa9fe_a9fe,
        0xac10_0000,
        0xc000_0000,
        0xc0a8_0000,
        0xc612_0000,
        0xe000_0000,
    ];
    let near = (proptest::sample::select(edges.to_vec()), 0_u32..32, any::<u32>())
        .prop_map(|(edge, bits, noise)| edge ^ (noise & ((1_u32 << bits) - 1)));
    prop_oneof![any::<u32>(), near].prop_map(Ipv4Addr::from)
}

/// The ways to write an address of IPv4 in a URL.
fn spellings(address: Ipv4Addr) -> Vec<String> {
    let [a, b, c, d] = address.octets();
    let all = address.to_bits();
    let (low24, low16) = (all & 0xff_ffff, all & 0xffff);
    let wide = |text: String| -> String {
        text.chars().map(|c| char::from_u32(u32::from(c) + 0xfee0).unwrap()).collect()
    };
    let encoded = |text: String| -> String { text.bytes().map(|byte| format!("%{byte:02X}")).collect() };
    vec![
        format!("{a}.{b}.{c}.{d}"),
        format!("{a}.{b}.{c}.{d}."),
        format!("{a}.{b}.{low16}"),
        format!("{a}.{low24}"),
        format!("{all}"),
        format!("{all:#x}"),
        format!("{all:#X}"),
        format!("0{all:o}"),
        format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"),
        format!("{a:#x}.{b:#x}.{c:#x}.{d:#x}"),
        format!("{a:#x}.0{b:o}.{low16}"),
        format!("000{a:o}.{low24:#x}"),
        wide(format!("{a}.{b}.{c}.{d}")),
        encoded(format!("{a}.{b}.{c}.{d}")),
        encoded(format!("{all}")),
        format!("[::ffff:{a}.{b}.{c}.{d}]"),
        format!("[::ffff:{:x}:{:x}]", all >> 16, low16),
        format!("[0:0:0:0:0:FFFF:{:04X}:{:04X}]", all >> 16, low16),
    ]
}

/// Addresses of IPv6 that carry one of IPv4 and lead to who knows where.
fn carriers(address: Ipv4Addr) -> Vec<Ipv6Addr> {
    let (high, low) = ((address.to_bits() >> 16) as u16, address.to_bits() as u16);
    vec![
        Ipv6Addr::new(0, 0, 0, 0, 0, 0, high, low),
        Ipv6Addr::new(0, 0, 0, 0, 0xffff, 0, high, low),
        Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low),
        Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, high, low),
        Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1),
        Ipv6Addr::new(0x2001, 0, 0x4136, 0xe378, 0x8000, 0x63bf, !high, !low),
        Ipv6Addr::new(0x2a00, 1, 2, 3, 0, 0x5efe, high, low),
        Ipv6Addr::new(0x2a00, 1, 2, 3, 0x200, 0x5efe, high, low),
    ]
}

proptest! {
    #[test]
    fn every_spelling_of_an_address_is_judged_like_the_address(address in any_v4(), allows_loopback: bool) {
        let allow: &[&str] = if allows_loopback { &["127.0.0.0/8"] } else { &[] };
        let reach = Reach::new(&networks(allow));
        let is_admitted = reach.admit(address.into()).is_some();
        for spelling in spellings(address) {
            let read = Target::parse(&format!("http://{spelling}/"), &reach);
            prop_assert_eq!(read.is_ok(), is_admitted, "{}", spelling);
            if let Ok(target) = read {
                let Named::Address(host) = target.origin().host else { panic!("{spelling} is read as a name") };
                prop_assert_eq!(host.to_canonical(), IpAddr::from(address), "{}", spelling);
            }
        }
        for carrier in carriers(address) {
            prop_assert!(reach.admit(carrier.into()).is_none(), "{}", carrier);
            let url = format!("http://[{carrier}]/");
            prop_assert!(Target::parse(&url, &reach).is_err(), "{}", url);
        }
    }

    /// What the standard library knows to be special is refused, whatever our own table says.
    #[test]
    fn what_the_standard_library_calls_special_is_refused(v4 in any_v4(), v6: u128) {
        let v6 = Ipv6Addr::from(v6);
        let is_special_v4 = v4.is_private() || v4.is_loopback() || v4.is_link_local() || v4.is_unspecified()
            || v4.is_broadcast() || v4.is_multicast() || v4.is_documentation();
        let is_special_v6 = v6.is_loopback() || v6.is_unspecified() || v6.is_multicast() || v6.is_unique_local()
            || v6.is_unicast_link_local();
        let reach = Reach::new(&[]);
        prop_assert!(!is_special_v4 || reach.admit(v4.into()).is_none(), "{}", v4);
        prop_assert!(!is_special_v6 || reach.admit(v6.into()).is_none(), "{}", v6);
    }

    #[test]
    fn a_network_reads_back_what_it_shows(address: u128, is_v4: bool, prefix in 0_u8..=128, other: u128) {
        let (first, prefix) = if is_v4 {
            let prefix = prefix % 33;
            let mask = u32::MAX.checked_shl(32 - u32::from(prefix)).unwrap_or(0);
            (IpAddr::from(Ipv4Addr::from((address as u32) & mask)), prefix)
        } else {
            let mask = u128::MAX.checked_shl(128 - u32::from(prefix)).unwrap_or(0);
            (IpAddr::from(Ipv6Addr::from(address & mask)), prefix)
        };
        prop_assume!(first.to_canonical() == first);
        let text = format!("{first}/{prefix}");
        let network: Network = text.parse().unwrap();
        prop_assert_eq!(network.to_string(), text);
        prop_assert!(network.contains(first));
        // The same prefix and other bits behind it: inside. Another first bit of the prefix: outside.
        let (bits, first_bits, other) = match first {
            IpAddr::V4(v4) => (32, u128::from(v4.to_bits()), other & u128::from(u32::MAX)),
            IpAddr::V6(v6) => (128, v6.to_bits(), other),
        };
        let make = |bits: u128| -> IpAddr {
            if is_v4 { Ipv4Addr::from(bits as u32).into() } else { Ipv6Addr::from(bits).into() }
        };
        let behind = 1_u128.checked_shl(bits - u32::from(prefix)).map_or(u128::MAX, |one| one - 1);
        prop_assert!(network.contains(make(first_bits | (other & behind))));
        prop_assert!(prefix == 0 || !network.contains(make(first_bits ^ (1 << (bits - 1)))));
    }
}
