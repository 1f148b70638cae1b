//! What the kernel knows of the server: its sockets, its memory, its processor time.

use std::fs;
use std::net::SocketAddr;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// A listening socket in the kernel's table.
const LISTEN: &str = "0A";

/// Lets this process open as many sockets as the attacks need.
pub fn raise_descriptors() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    setrlimit(Resource::Nofile, raised).expect("a process may raise its own limit");
}

/// Returns how many accepted sockets a server holds. Those that it has closed have no inode any more.
pub fn sockets(address: SocketAddr) -> usize {
    let port = format!(":{:04X}", address.port());
    let table = fs::read_to_string("/proc/net/tcp").expect("the kernel's table");
    let is_held = |line: &&str| {
        let fields: Vec<_> = line.split_whitespace().collect();
        matches!(fields[..], [_, local, _, state, _, _, _, _, _, inode, ..]
            if local.ends_with(&port) && state != LISTEN && inode != "0")
    };
    table.lines().skip(1).filter(is_held).count()
}

/// Returns the memory that a process has allocated, in KiB. Pages of its program are not counted: the kernel loads them when
/// code runs for the first time, and can drop them.
pub fn resident_kib(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("a process of ours");
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("its memory");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// Returns the processor time that a process has used, in hundredths of a second.
pub fn processor_ticks(process: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).expect("a process of ours");
    // The name, in parentheses, may hold anything. The 12th and 13th fields behind it are user and system time.
    let (_, fields) = stat.rsplit_once(')').expect("its name");
    fields.split_whitespace().skip(11).take(2).map(|ticks| ticks.parse::<u64>().expect("a number")).sum()
}

/// Returns how many descriptors a process has open.
pub fn descriptors(process: u32) -> u64 {
    fs::read_dir(format!("/proc/{process}/fd")).expect("a process of ours").count() as u64
}
