//! The frame of every page: the head, the navigation bar and the main part.

use super::html::Html;
use crate::platform::version::VERSION;

/// An image of a crate on a quay, small enough to be inlined in the page.
const ICON: &str = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><rect width='16' height='16' rx='4' fill='%230b6e69'/><path d='M3.5 11.5h9M5 9.5v-5h6v5zM8 4.5v2' fill='none' stroke='%23fff' stroke-width='1.4'/></svg>";

/// Renders a whole page.
pub fn page(title: &str, contents: impl FnOnce(&mut Html), main: impl FnOnce(&mut Html)) -> String {
    let mut html = Html::default();
    html.markup("<!doctype html>\n");
    html.tag("html", &[("lang", "en-GB")], |html| {
        html.tag("head", &[], |html| head(html, title));
        html.tag("body", &[], |html| {
            html.markup("<a class=\"skip\" href=\"#main\">Skip to the content</a>");
            html.tag("header", &[("class", "bar")], |html| bar(html, contents));
            html.tag("main", &[("id", "main"), ("tabindex", "-1")], main);
            html.markup("<p class=\"unseen\" id=\"status\" role=\"status\" aria-live=\"polite\"></p>");
        });
    });
    html.finish()
}

fn head(html: &mut Html, title: &str) {
    html.markup(
        "<meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
    );
    html.markup("<meta name=\"color-scheme\" content=\"light dark\">");
    html.line("title", "", title);
    html.void("link", &[("rel", "icon"), ("href", ICON)]);
    html.markup("<link rel=\"stylesheet\" href=\"/docs/style.css\">");
    html.markup("<script src=\"/docs/script.js\" defer></script>");
    html.markup("<script src=\"/docs/search.js\" defer></script>");
}

/// Writes the navigation bar, at the left or, on a phone, at the top. Controls that need a script are hidden until it
/// runs.
fn bar(html: &mut Html, contents: impl FnOnce(&mut Html)) {
    html.tag("div", &[("class", "brand")], |html| {
        html.markup("<a href=\"/docs\">Dockside</a> ");
        html.line("span", "version", VERSION);
        html.markup("<button type=\"button\" id=\"menu\" aria-expanded=\"false\" aria-controls=\"contents\" hidden>Contents</button>");
    });
    html.markup(concat!(
        "<div class=\"entry finder\" hidden><label for=\"finder\">Search guide and reference</label>",
        "<kbd>/</kbd><input id=\"finder\" type=\"search\" role=\"combobox\" aria-expanded=\"false\" ",
        "aria-controls=\"results\" aria-autocomplete=\"list\" autocomplete=\"off\" autocapitalize=\"off\" ",
        "spellcheck=\"false\" placeholder=\"tracking number, zpl …\"></div>",
        "<div id=\"results\" class=\"results\" role=\"listbox\" aria-label=\"Results\" hidden></div>",
    ));
    html.tag("div", &[("id", "contents")], |html| {
        html.markup(concat!(
            "<div class=\"entry\" hidden><label for=\"token\">Your token</label>",
            "<input id=\"token\" type=\"text\" placeholder=\"dk_test_…\" autocomplete=\"off\" autocapitalize=\"off\" ",
            "spellcheck=\"false\" aria-describedby=\"token-note\">",
            "<p id=\"token-note\">Fills the examples. Stays in this tab.</p></div>",
        ));
        html.markup("<noscript><p>Scripts are off: replace YOUR_TOKEN in the examples with your token. Your browser’s own search finds words on this page.</p></noscript>");
        html.tag("nav", &[("aria-label", "Contents")], contents);
    });
}

/// Writes a group of links in the navigation bar.
pub fn group(html: &mut Html, title: &str, links: impl FnOnce(&mut Html)) {
    html.tag("div", &[("class", "group")], |html| {
        html.line("p", "group-title", title);
        html.tag("ul", &[], links);
    });
}

/// Writes a link in the navigation bar. The mark is at its right end.
pub fn entry(html: &mut Html, to: &str, text: &str, mark: &str, is_this_page: bool) {
    let attributes = [("href", to), ("aria-current", "page")];
    html.tag("li", &[], |html| {
        html.tag("a", if is_this_page { &attributes } else { &attributes[..1] }, |html| {
            html.line("span", "", text);
            if !mark.is_empty() {
                html.text(" ");
                html.line("span", "mark", mark);
            }
        });
    });
}
