//! What `dockside listen` shows: how to verify, a table that grows by a line with each event, and a sum at the end.

use std::io::{self, IsTerminal, Write, stderr, stdout};

use cli::event_log::Head;
use model::events::event::TYPES;
use model::events::webhook_delivery::Verdict;
use service::events::delivery::Answer;

use crate::geo::counted;

/// Widths of the columns. Every identifier fits in its own: a prefix of five letters, `_`, and 26 characters.
const TIME_WIDTH: usize = "09:00:00Z".len();
const SEQUENCE_WIDTH: usize = "SEQUENCE".len();
const RESOURCE_WIDTH: usize = 32;
const STATUS_WIDTH: usize = "failed".len();
const LATENCY_WIDTH: usize = "15000 ms".len();
/// What a failure says begins below the type of its event.
const INDENT: usize = TIME_WIDTH + 2 + SEQUENCE_WIDTH + 2;
/// Characters that are shown of a receiver's answer.
const ANSWER_CHARS_MAX: usize = 120;

/// What is said at the start.
pub struct Opening<'a> {
    pub server: &'a str,
    pub forward: &'a str,
    pub world: &'a str,
    pub types: &'a [String],
    pub after: i64,
    pub secret: &'a str,
    pub is_secret_new: bool,
}

pub struct Screen {
    type_width: usize,
    is_coloured: bool,
    accepted: usize,
    failed: usize,
}

#[derive(Clone, Copy)]
enum Colour {
    Green,
    Red,
    Dim,
}

impl Screen {
    /// A table for these types of events; none stands for all.
    pub fn new(types: &[String]) -> Self {
        let is_plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let all = TYPES.iter().map(|(name, _)| name.len()).max();
        let type_width = types.iter().map(String::len).max().or(all).unwrap_or(0);
        Self { type_width, is_coloured: stdout().is_terminal() && !is_plain, accepted: 0, failed: 0 }
    }

    pub fn open(&mut self, opening: &Opening<'_>) -> io::Result<()> {
        stdout().write_all(self.opening(opening).as_bytes())
    }

    fn opening(&self, opening: &Opening<'_>) -> String {
        let Opening { server, forward, world, types, after, secret, is_secret_new } = opening;
        let what = if types.is_empty() { "all events".to_owned() } else { types.join(", ") };
        let again = if *is_secret_new { "   new with each start; --secret keeps one" } else { "" };
        let head = self.line("TIME", "SEQUENCE", "TYPE", "RESOURCE", ("STATUS", None), "LATENCY");
        let head = self.painted(Colour::Dim, &head);
        format!(
            "forwarding   {what} of the {world} world, after sequence {after}\n\
             from         {server}\n\
             to           {forward}\n\
             verify with  {secret}{again}\n\n\
             A forward that fails is shown and not retried. Ctrl-C ends.\n\n\
             {head}\n"
        )
    }

    /// A line for an event, and one below it where it failed.
    pub fn forwarded(&mut self, event: &Head, answer: &Answer) -> io::Result<()> {
        let is_accepted = answer.verdict == Verdict::Succeeded;
        *(if is_accepted { &mut self.accepted } else { &mut self.failed }) += 1;
        stdout().write_all(self.row(event, answer).as_bytes())
    }

    fn row(&self, event: &Head, answer: &Answer) -> String {
        let attempt = &answer.attempt;
        let moment = attempt.attempted_at.to_string();
        let time = format!("{}Z", moment.get(11..19).unwrap_or_default());
        let colour = if answer.verdict == Verdict::Succeeded { Colour::Green } else { Colour::Red };
        let status = attempt.status_code.map_or_else(|| "failed".to_owned(), |code| code.to_string());
        let latency = format!("{} ms", attempt.latency_ms);
        let sequence = event.sequence.to_string();
        let mut text = self.line(
            &time,
            &sequence,
            &event.r#type,
            event.resource_id(),
            (&status, Some(colour)),
            &latency,
        );
        text.push('\n');
        if let Some(why) = why(answer) {
            text.push_str(&format!("{:INDENT$}{}\n", "", self.painted(Colour::Red, &why)));
        }
        text
    }

    fn line(
        &self,
        time: &str,
        sequence: &str,
        r#type: &str,
        resource: &str,
        (status, colour): (&str, Option<Colour>),
        latency: &str,
    ) -> String {
        let status = format!("{status:<STATUS_WIDTH$}");
        let status = colour.map_or_else(|| status.clone(), |colour| self.painted(colour, &status));
        let type_width = self.type_width;
        format!(
            "{time:<TIME_WIDTH$}  {sequence:>SEQUENCE_WIDTH$}  {type:<type_width$}  {resource:<RESOURCE_WIDTH$}  \
             {status}  {latency:>LATENCY_WIDTH$}"
        )
    }

    fn painted(&self, colour: Colour, text: &str) -> String {
        let code = match colour {
            Colour::Green => 32,
            Colour::Red => 31,
            Colour::Dim => 2,
        };
        if self.is_coloured { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// Events that the log does not have any more.
    pub fn missing(&self, first: i64, last: i64) -> io::Result<()> {
        writeln!(
            stderr(),
            "The events {first} to {last} are older than the log goes back: they are passed over."
        )
    }

    /// Said once, however long it takes.
    pub fn away(&self, why: &str) -> io::Result<()> {
        writeln!(stderr(), "The server is away: {} Waiting for it.", harmless(why))
    }

    pub fn back(&self) -> io::Result<()> {
        writeln!(stderr(), "The server is back.")
    }

    /// The sum, and how to go on.
    pub fn close(&self, after: i64) -> io::Result<()> {
        writeln!(stdout(), "\n{}", self.sum(after))
    }

    fn sum(&self, after: i64) -> String {
        let (accepted, failed) = (self.accepted, self.failed);
        let count = counted(accepted + failed, "event");
        format!(
            "{count} forwarded: {accepted} accepted, {failed} failed. To go on from here: --after {after}"
        )
    }
}

/// Why a forward failed; `None` where it did not.
fn why(answer: &Answer) -> Option<String> {
    let attempt = &answer.attempt;
    if answer.verdict == Verdict::Succeeded {
        return None;
    }
    let said = attempt.response_body.as_deref().map(harmless).filter(|text| !text.is_empty());
    Some(match (&attempt.error, attempt.status_code, said) {
        (Some(error), _, _) => harmless(error),
        (None, Some(300..=399), _) => "Redirects are not followed.".to_owned(),
        (None, Some(410), _) => {
            "410 says that nothing more is wanted: it would disable an endpoint.".to_owned()
        }
        (None, _, Some(said)) => said,
        (None, _, None) => "The answer has no body that would say why.".to_owned(),
    })
}

/// The first line of a text from elsewhere, with nothing in it that a terminal would act on.
fn harmless(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default().trim_end();
    let shown = |char: char| if char.is_control() { '\u{fffd}' } else { char };
    let mut kept: String = line.chars().take(ANSWER_CHARS_MAX).map(shown).collect();
    if line.chars().nth(ANSWER_CHARS_MAX).is_some() {
        kept.push('…');
    }
    kept
}

#[cfg(test)]
mod tests {
    use model::Timestamp;
    use model::events::webhook_delivery::Attempt;

    use super::*;

    fn screen(is_coloured: bool) -> Screen {
        let types = ["order.created".to_owned()];
        Screen { is_coloured, ..Screen::new(&types) }
    }

    fn head(sequence: i64) -> Head {
        let text = format!(
            r#"{{"id":"evt_00000000000000000000000007","sequence":{sequence},"type":"order.created","created_at":"2026-11-01T09:00:00Z","data":{{"object":{{"id":"ord_00000000000000000000000001"}}}}}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    fn answer(status_code: Option<u16>, error: Option<&str>, body: Option<&str>) -> Answer {
        let attempted_at = Timestamp::parse("2026-11-01T09:00:00.25Z").unwrap();
        let (error, response_body) = (error.map(str::to_owned), body.map(str::to_owned));
        let attempt = Attempt { attempted_at, status_code, latency_ms: 12, error, response_body };
        Answer { verdict: Verdict::of(status_code, None), attempt }
    }

    #[test]
    fn the_table_aligns() {
        let screen = screen(false);
        let opening = screen.opening(&Opening {
            server: "http://127.0.0.1:8080",
            forward: "http://localhost:3000/hook",
            world: "test",
            types: &["order.created".to_owned()],
            after: 12,
            secret: "whsec_x",
            is_secret_new: true,
        });
        let rows = [
            screen.row(&head(13), &answer(Some(204), None, None)),
            screen.row(&head(1_234_567), &answer(Some(500), None, Some("no such table\nat line 3"))),
            screen.row(&head(14), &answer(None, Some("No answer came within 15 s."), None)),
        ];
        insta::assert_snapshot!(opening + &rows.concat(), @r"
        forwarding   order.created of the test world, after sequence 12
        from         http://127.0.0.1:8080
        to           http://localhost:3000/hook
        verify with  whsec_x   new with each start; --secret keeps one

        A forward that fails is shown and not retried. Ctrl-C ends.

        TIME       SEQUENCE  TYPE           RESOURCE                          STATUS   LATENCY
        09:00:00Z        13  order.created  ord_00000000000000000000000001    204        12 ms
        09:00:00Z   1234567  order.created  ord_00000000000000000000000001    500        12 ms
                             no such table
        09:00:00Z        14  order.created  ord_00000000000000000000000001    failed     12 ms
                             No answer came within 15 s.
        ");
    }

    #[test]
    fn only_a_terminal_gets_colours() {
        let row = |is_coloured| screen(is_coloured).row(&head(13), &answer(Some(204), None, None));
        assert!(!row(false).contains('\x1b'));
        assert_eq!(row(true).replace("\x1b[32m", "").replace("\x1b[0m", ""), row(false));
        assert_ne!(row(true), row(false));
    }

    #[test]
    fn a_failure_says_why_and_cannot_play_with_the_terminal() {
        let said = |status, error, body| why(&answer(status, error, body)).unwrap_or_default();
        assert_eq!(said(Some(200), None, Some("ok")), "");
        assert_eq!(said(Some(302), None, None), "Redirects are not followed.");
        assert!(said(Some(410), None, None).contains("disable"));
        assert!(said(Some(500), None, None).contains("no body"));
        assert_eq!(said(Some(500), None, Some("\n \x1b[2Jgone\u{7}\r\nmore")), "\u{fffd}[2Jgone\u{fffd}");
        assert_eq!(said(Some(500), None, Some(&"x".repeat(500))).chars().count(), ANSWER_CHARS_MAX + 1);
    }

    #[test]
    fn the_sum_tells_how_to_go_on() {
        let screen = Screen { accepted: 1, failed: 0, ..screen(false) };
        assert_eq!(screen.sum(42), "1 event forwarded: 1 accepted, 0 failed. To go on from here: --after 42");
    }
}
