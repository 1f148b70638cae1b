//! Printing: sends files to a printer, by a plain socket (port 9100) or by IPP, and says what came of it. It knows nothing of
//! the product: the server and the print agent use it alike.
//!
//! A job is printed in two steps, so that the caller can record its intent between them: [`Sender::open`] reaches the printer and
//! sends nothing of the files; [`OpenPrinter::print`] sends them. An outcome says whether a byte may have left:
//!
//! | Outcome | A byte left | Printed |
//! |---|---|---|
//! | `Printed` | yes | yes |
//! | `Unsent` | no, or the printer refused it for now | no: it may be sent again |
//! | `Failed` | perhaps | no: the printer refused or aborted it |
//! | `Uncertain` | perhaps | unknown: it must not be sent again without a person |

mod address;
mod client;
pub mod ipp;
mod job;
mod raw;
mod sender;
#[cfg(test)]
mod tests;

pub use address::{Destination, IppAddress, Protocol, RAW_PORT};
pub use job::{File, Job, Outcome, ZPL};
pub use sender::{OpenPrinter, Sender};
