//! The frame of every page: the head, the bar with its contents, and the main part.

use super::html::Html;
use crate::VERSION;

/// A crate on a quay, small enough to travel in the page.
const ICON: &str = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><rect width='16' height='16' rx='4' fill='%230b6e69'/><path d='M3.5 11.5h9M5 9.5v-5h6v5zM8 4.5v2' fill='none' stroke='%23fff' stroke-width='1.4'/></svg>";

/// A whole page.
pub fn page(
    title: &str,
    filter: &'static str,
    contents: impl FnOnce(&mut Html),
    main: impl FnOnce(&mut Html),
) -> String {
    let mut html = Html::default();
    html.markup("<!doctype html>\n");
    html.tag("html", &[("lang", "en-GB")], |html| {
        html.tag("head", &[], |html| head(html, title));
        html.tag("body", &[], |html| {
            html.markup("<a class=\"skip\" href=\"#main\">Skip to the content</a>");
            html.tag("header", &[("class", "bar")], |html| bar(html, filter, contents));
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
}

/// What stands at the left, or at the top of a phone. What only the script can do is hidden until it runs.
fn bar(html: &mut Html, filter: &'static str, contents: impl FnOnce(&mut Html)) {
    html.tag("div", &[("class", "brand")], |html| {
        html.markup("<a href=\"/docs\">Dockside</a> ");
        html.line("span", "version", VERSION);
        html.markup("<button type=\"button\" id=\"menu\" aria-expanded=\"false\" aria-controls=\"contents\" hidden>Contents</button>");
    });
    html.tag("div", &[("id", "contents")], |html| {
        html.markup(concat!(
            "<div class=\"entry\" hidden><label for=\"token\">Your token</label>",
            "<input id=\"token\" type=\"text\" placeholder=\"dk_test_…\" autocomplete=\"off\" autocapitalize=\"off\" ",
            "spellcheck=\"false\" aria-describedby=\"token-note\">",
            "<p id=\"token-note\">Fills the examples. Stays in this tab.</p></div>",
        ));
        html.tag("div", &[("class", "entry"), ("hidden", "")], |html| {
            html.tag("label", &[("for", "filter")], |html| html.text(filter));
            html.markup("<kbd>/</kbd><input id=\"filter\" type=\"search\" autocomplete=\"off\" spellcheck=\"false\">");
        });
        html.markup("<noscript><p>Scripts are off: put your token where YOUR_TOKEN stands.</p></noscript>");
        html.tag("nav", &[("aria-label", "Contents")], contents);
        html.markup("<p class=\"nothing\" id=\"nothing\" hidden>Nothing matches.</p>");
    });
}

/// A group of links in the contents. The words, for the filter, may say more than the link.
pub fn group(html: &mut Html, title: &str, links: impl FnOnce(&mut Html)) {
    html.tag("div", &[("class", "group")], |html| {
        html.line("p", "group-title", title);
        html.tag("ul", &[], links);
    });
}

pub fn entry(html: &mut Html, to: &str, text: &str, mark: &str, words: &str) {
    html.tag("li", &[("data-words", words)], |html| {
        html.tag("a", &[("href", to)], |html| {
            html.line("span", "", text);
            if !mark.is_empty() {
                html.text(" ");
                html.line("span", "mark", mark);
            }
        });
    });
}
