//! Settings of printing: which networks the server may connect to printers in.

use outbound::Network;

use super::declaration::settings;

settings! {
    /// Settings of printing.
    pub struct Printing("Printing") {
        /// Networks in which the server may connect to printers, such as `192.168.1.0/24,fd12:3456::/32`; separated by
        /// commas. Nothing outside them is connected, whatever `outbound_allow` says. Printers of print agents need none.
        printer_networks("NETWORKS"): Vec<Network> = Vec::new(), shown("none, nothing is printed directly");
    }
}
