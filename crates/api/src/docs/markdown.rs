//! Renders the Markdown of the guide as HTML: headings, paragraphs, lists, tables, code, images and links. It
//! supports only what the guide uses. A test renders every page.

use super::code;
use super::html::Html;

/// The path under which the guide's links and images are served.
const GUIDE: &str = "/docs/guide";

/// The first words of indented code that is typed into a terminal.
const COMMANDS: &[&str] = &[
    "apt ",
    "cargo ",
    "checks/",
    "curl ",
    "dockside ",
    "export ",
    "npm ",
    "pip ",
    "unzip ",
    "PGOPTIONS=",
    "WEBHOOK_",
];

/// A heading and the text below it, up to the next heading.
pub struct Section {
    /// The anchor. Empty for the text before the first subheading.
    pub id: String,
    pub title: String,
    pub text: String,
}

/// Renders a page's blocks.
pub fn render(html: &mut Html, text: &str) {
    let lines: Vec<&str> = text.lines().collect();
    blocks(html, &lines);
}

/// Returns the page's subheadings with the plain text below them, without code.
pub fn sections(text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut is_code = false;
    for line in text.lines() {
        is_code ^= line.starts_with("```");
        if is_code || line.starts_with("```") || line.starts_with("    ") {
            continue;
        }
        match heading(line) {
            Some((level, title)) => {
                let id = if level == 1 { String::new() } else { slug(title) };
                sections.push(Section { id, title: plain(title), text: String::new() });
            }
            None => {
                if let Some(section) = sections.last_mut() {
                    let is_rule = line.starts_with("|--");
                    section.text.push_str(&if is_rule { String::new() } else { plain(line) });
                    section.text.push(' ');
                }
            }
        }
    }
    for section in &mut sections {
        section.text = section.text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    sections
}

/// Returns the page's title: its first heading.
pub fn title(text: &str) -> &str {
    text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default()
}

/// Returns the anchor of a heading, made as GitHub makes it, so that links work on both sites.
pub fn slug(title: &str) -> String {
    let kept = plain(title).to_lowercase();
    let kept = kept.chars().filter(|char| char.is_alphanumeric() || matches!(char, ' ' | '-' | '_'));
    kept.map(|char| if char == ' ' { '-' } else { char }).collect()
}

/// Returns text without its markup.
fn plain(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(place) = rest.find(['[', '`', '*', '|']) {
        words.push_str(&rest[..place]);
        rest = &rest[place..];
        match link(rest) {
            Some((text, _, after)) => {
                words.push_str(&plain(text));
                rest = after;
            }
            None => {
                words.push_str(if rest.starts_with('|') || rest.starts_with('[') { " " } else { "" });
                rest = &rest[1..];
            }
        }
    }
    words.push_str(rest);
    words.trim().to_owned()
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let title = line.get(level..)?.strip_prefix(' ')?;
    (1..=4).contains(&level).then_some((level, title))
}

/// Writes the blocks that these lines contain.
fn blocks(html: &mut Html, lines: &[&str]) {
    let mut rest = lines;
    while let Some((line, after)) = rest.split_first() {
        rest = if line.trim().is_empty() {
            after
        } else if let Some(language) = line.strip_prefix("```") {
            fence(html, language, after)
        } else if let Some((level, title)) = heading(line) {
            write_heading(html, level, title);
            after
        } else if line.starts_with('|') {
            table(html, rest)
        } else if marker(line).is_some() {
            list(html, rest)
        } else if line.starts_with("    ") {
            indented(html, rest)
        } else {
            paragraph(html, rest)
        };
    }
}

fn write_heading(html: &mut Html, level: usize, title: &str) {
    let id = slug(title);
    let name = ["h1", "h2", "h3", "h4"].get(level - 1).copied().unwrap_or("h4");
    if level == 1 {
        return html.tag("h1", &[], |html| inline(html, title));
    }
    html.tag(name, &[("id", &id)], |html| {
        html.tag("a", &[("class", "anchor"), ("href", &format!("#{id}"))], |html| inline(html, title));
    });
}

/// Writes a fenced block. The language selects how it is shown.
fn fence<'a, 'b>(html: &mut Html, language: &str, lines: &'a [&'b str]) -> &'a [&'b str] {
    let end = lines.iter().position(|line| *line == "```").unwrap_or(lines.len());
    let caption = match language {
        "sh" => "Terminal",
        "text" => "Prints",
        "" => "",
        "python" => "Python",
        "typescript" => "TypeScript",
        "js" => "JavaScript",
        "rust" => "Rust",
        "html" => "HTML",
        "json" => "JSON",
        "toml" => "TOML",
        "nginx" => "nginx",
        other => other,
    };
    let text = lines[..end].join("\n");
    if language.is_empty() || language == "text" {
        code::output(html, caption, &text);
    } else {
        code::panel(html, caption, |html| html.text(&text));
    }
    lines.get(end + 1..).unwrap_or_default()
}

/// Writes indented code: commands that the guide's test does not run.
fn indented<'a, 'b>(html: &mut Html, lines: &'a [&'b str]) -> &'a [&'b str] {
    let is_code = |line: &str| line.starts_with("    ") || line.trim().is_empty();
    let mut end = lines.iter().position(|line| !is_code(line)).unwrap_or(lines.len());
    while end > 0 && lines[end - 1].trim().is_empty() {
        end -= 1;
    }
    let text: Vec<&str> = lines[..end].iter().map(|line| line.get(4..).unwrap_or_default()).collect();
    let is_command = text.iter().any(|line| COMMANDS.iter().any(|command| line.starts_with(command)));
    code::panel(html, if is_command { "Terminal" } else { "File" }, |html| html.text(&text.join("\n")));
    &lines[end..]
}

/// Returns the width of a list item's marker, and whether the list is numbered.
fn marker(line: &str) -> Option<(usize, bool)> {
    if line.starts_with("- ") {
        return Some((2, false));
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0 && line[digits..].starts_with(". ")).then_some((digits + 2, true))
}

fn list<'a, 'b>(html: &mut Html, lines: &'a [&'b str]) -> &'a [&'b str] {
    let Some((_, is_numbered)) = lines.first().and_then(|line| marker(line)) else { return lines };
    let mut items: Vec<Vec<&str>> = Vec::new();
    let mut end = 0;
    while let Some(line) = lines.get(end) {
        let is_blank = line.trim().is_empty();
        match marker(line) {
            Some((width, same)) if same == is_numbered => items.push(vec![&line[width..]]),
            _ if is_blank && !lines.get(end + 1).is_some_and(|next| is_item_text(next, is_numbered)) => break,
            _ if is_blank || line.starts_with("  ") => {
                let width = if is_numbered { 3 } else { 2 };
                let is_deep = line.get(..width).is_some_and(|start| start.trim().is_empty());
                let text = if is_deep { &line[width..] } else { line.trim_start() };
                items.last_mut().into_iter().for_each(|item| item.push(text));
            }
            _ => break,
        }
        end += 1;
    }
    html.tag(if is_numbered { "ol" } else { "ul" }, &[], |html| {
        for item in &items {
            html.tag("li", &[], |html| match item.iter().all(|line| !line.trim().is_empty()) {
                true => inline(html, &item.join(" ")),
                false => blocks(html, item),
            });
        }
    });
    &lines[end..]
}

/// Returns whether a line after a blank one still belongs to the list.
fn is_item_text(line: &str, is_numbered: bool) -> bool {
    line.starts_with("  ") || marker(line).is_some_and(|(_, same)| same == is_numbered)
}

fn table<'a, 'b>(html: &mut Html, lines: &'a [&'b str]) -> &'a [&'b str] {
    let end = lines.iter().position(|line| !line.starts_with('|')).unwrap_or(lines.len());
    let mut rows = lines[..end].iter().filter(|line| !line.starts_with("|--")).map(|line| cells(line));
    let head = rows.next().unwrap_or_default();
    html.tag("div", &[("class", "table"), ("tabindex", "0")], |html| {
        html.tag("table", &[], |html| {
            if head.iter().any(|cell| !cell.is_empty()) {
                html.tag("thead", &[], |html| {
                    html.tag("tr", &[], |html| {
                        for cell in &head {
                            html.tag("th", &[("scope", "col")], |html| inline(html, cell));
                        }
                    });
                });
            }
            html.tag("tbody", &[], |html| {
                for row in rows {
                    html.tag("tr", &[], |html| {
                        row.iter().for_each(|cell| html.tag("td", &[], |html| inline(html, cell)));
                    });
                }
            });
        });
    });
    &lines[end..]
}

/// Returns the cells of a row. A bar within code is text.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim().trim_start_matches('|');
    let mut cells = vec![String::new()];
    let mut is_code = false;
    for char in line.strip_suffix('|').unwrap_or(line).chars() {
        is_code ^= char == '`';
        match cells.last_mut() {
            Some(_) if char == '|' && !is_code => cells.push(String::new()),
            Some(cell) => cell.push(char),
            None => {}
        }
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

fn paragraph<'a, 'b>(html: &mut Html, lines: &'a [&'b str]) -> &'a [&'b str] {
    let is_end = |line: &&str| line.trim().is_empty() || line.starts_with("```") || line.starts_with("- ");
    let end = 1 + lines[1..].iter().position(is_end).unwrap_or(lines.len() - 1);
    let text = lines[..end].iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
    match text.strip_prefix('!').and_then(link) {
        Some((alt, source, "")) => html.tag("p", &[("class", "picture")], |html| {
            html.void("img", &[("src", &format!("{GUIDE}/{source}")), ("alt", alt), ("loading", "lazy")]);
        }),
        _ => html.tag("p", &[], |html| inline(html, &text)),
    }
    &lines[end..]
}

/// Writes text with `` `code` ``, `**strong**` and `[links](to)`.
fn inline(html: &mut Html, text: &str) {
    let mut rest = text;
    while let Some(place) = rest.find(['`', '[', '*']) {
        html.text(&rest[..place]);
        rest = &rest[place..];
        if let Some((code, after)) = rest.strip_prefix('`').and_then(|rest| rest.split_once('`')) {
            html.line("code", "", code);
            rest = after;
        } else if let Some((strong, after)) = rest.strip_prefix("**").and_then(|rest| rest.split_once("**")) {
            html.tag("strong", &[], |html| inline(html, strong));
            rest = after;
        } else if let Some((words, to, after)) = link(rest) {
            html.tag("a", &[("href", &address(to))], |html| inline(html, words));
            rest = after;
        } else {
            html.text(&rest[..1]);
            rest = &rest[1..];
        }
    }
    html.text(rest);
}

/// Parses `[words](to)` at the start of the text, and returns it with the rest. Only anchors and paths on this
/// server, other pages of the guide and `https://` URLs are links.
fn link(text: &str) -> Option<(&str, &str, &str)> {
    let (words, rest) = text.strip_prefix('[')?.split_once("](")?;
    let (to, after) = rest.split_once(')')?;
    let is_page = to.contains(".md") || to.ends_with(".png");
    let is_known = to.starts_with(['#', '/']) || to.starts_with("https://") || is_page;
    (is_known && !words.contains('[')).then_some((words, to, after))
}

/// Returns the target of a guide's link on this server.
fn address(to: &str) -> String {
    let Some((file, place)) = to.split_once(".md").filter(|_| !to.starts_with("https://")) else {
        return to.to_owned();
    };
    if file == "README" { format!("{GUIDE}{place}") } else { format!("{GUIDE}/{file}{place}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(text: &str) -> String {
        let mut html = Html::default();
        render(&mut html, text);
        html.finish()
    }

    #[test]
    fn blocks_become_elements() {
        assert_eq!(html("# A\n\nOne\n*two*."), "<h1>A</h1><p>One *two*.</p>");
        assert_eq!(
            html("## Buy `it`, now\n"),
            "<h2 id=\"buy-it-now\"><a class=\"anchor\" href=\"#buy-it-now\">Buy <code>it</code>, now</a></h2>"
        );
        assert_eq!(
            html("- a\n  b\n- **c**\n\nd"),
            "<ul><li>a b</li><li><strong>c</strong></li></ul><p>d</p>"
        );
        let nested = html("1. a\n\n       code\n\n   more\n2. b\n");
        assert!(nested.starts_with("<ol><li><p>a</p><figure"), "{nested}");
        assert!(nested.ends_with("<p>more</p></li><li>b</li></ol>"), "{nested}");
        assert_eq!(html("There may be\n60. Without"), "<p>There may be 60. Without</p>");
    }

    #[test]
    fn tables_keep_bars_within_code() {
        let table = html("| A | B |\n|---|---|\n| `x|y` | [z](first-steps.md#b) |\n");
        assert!(table.contains("<th scope=\"col\">A</th>"), "{table}");
        assert!(table.contains("<td><code>x|y</code></td>"), "{table}");
        assert!(table.contains("<a href=\"/docs/guide/first-steps#b\">z</a>"), "{table}");
        assert!(!html("| | |\n|---|---|\n| a | b |").contains("thead"));
    }

    #[test]
    fn nothing_gets_in_as_markup() {
        let hostile = html("<script> [x](javascript:alert) `<b>`\n\n```sh\n<i>\n```\n");
        assert!(
            !hostile.contains("<script>") && !hostile.contains("<b>") && !hostile.contains("<i>"),
            "{hostile}"
        );
        assert!(!hostile.contains("href"), "{hostile}");
    }

    #[test]
    fn sections_are_the_text_below_each_heading() {
        let sections =
            sections("# A\n\nLead [in](x.md).\n\n## B c\n\n```sh\nhidden\n```\n\n| `d` | e |\n|---|---|\n");
        let read: Vec<_> = sections.iter().map(|part| (&*part.id, &*part.title, &*part.text)).collect();
        assert_eq!(read, [("", "A", "Lead in."), ("b-c", "B c", "d e")]);
    }
}
