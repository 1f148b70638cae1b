//! An HTML writer that escapes by default: only text that is known at compile time can be markup.

/// The placeholder of the host in a page that is rendered once for all hosts. It is a private-use character, so no
/// text contains it.
pub const HOST: char = '\u{e000}';

/// HTML that is being written.
#[derive(Default)]
pub struct Html(String);

/// The attributes of an element, in their order.
pub type Attributes<'a> = &'a [(&'static str, &'a str)];

impl Html {
    /// Appends markup that is part of the program.
    pub fn markup(&mut self, markup: &'static str) {
        self.0.push_str(markup);
    }

    /// Appends text, escaped.
    pub fn text(&mut self, text: &str) {
        for char in text.chars() {
            match char {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                char => self.0.push(char),
            }
        }
    }

    /// Appends an element and its contents.
    pub fn tag(&mut self, name: &'static str, attributes: Attributes<'_>, inside: impl FnOnce(&mut Self)) {
        self.void(name, attributes);
        inside(self);
        self.0.push_str("</");
        self.0.push_str(name);
        self.0.push('>');
    }

    /// Appends an element without an end tag, such as `<input>`.
    pub fn void(&mut self, name: &'static str, attributes: Attributes<'_>) {
        self.0.push('<');
        self.0.push_str(name);
        for (name, value) in attributes {
            self.0.push(' ');
            self.0.push_str(name);
            self.0.push_str("=\"");
            self.text(value);
            self.0.push('"');
        }
        self.0.push('>');
    }

    /// Appends an element with a class and a text.
    pub fn line(&mut self, name: &'static str, class: &'static str, text: &str) {
        let attributes = [("class", class)];
        self.tag(name, if class.is_empty() { &[] } else { &attributes }, |html| html.text(text));
    }

    pub fn link(&mut self, to: &str, text: &str) {
        self.tag("a", &[("href", to)], |html| html.text(text));
    }

    /// Appends a paragraph, and a list of the lines after it that begin with `- `.
    pub fn paragraph(&mut self, text: &str) {
        let mut parts = text.split("\n- ").map(str::trim_end);
        self.tag("p", &[], |html| html.prose(parts.next().unwrap_or_default()));
        let mut parts = parts.peekable();
        if parts.peek().is_some() {
            self.tag("ul", &[("class", "words")], |html| {
                parts.for_each(|part| html.tag("li", &[], |html| html.prose(part)));
            });
        }
    }

    /// Appends text in which `` `code` `` is code and `[words](#place)` is a link on this server.
    pub fn prose(&mut self, text: &str) {
        let mut rest = text;
        while let Some(place) = rest.find(['`', '[']) {
            self.text(&rest[..place]);
            rest = &rest[place..];
            rest = match (code_span(rest), link_span(rest)) {
                (Some((code, after)), _) => {
                    self.line("code", "", code);
                    after
                }
                (None, Some((words, to, after))) => {
                    self.tag("a", &[("href", to)], |html| html.prose(words));
                    after
                }
                (None, None) => {
                    self.text(&rest[..1]);
                    &rest[1..]
                }
            };
        }
        self.text(rest);
    }

    /// Appends the URL of this server, as the request's `Host` names it. The script replaces it by the URL that the
    /// browser knows, which may go through a TLS proxy.
    pub fn base(&mut self) {
        self.0.push_str("<span class=\"base\">http://");
        self.0.push(HOST);
        self.0.push_str("</span>");
    }

    pub fn finish(self) -> String {
        self.0
    }
}

fn code_span(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix('`')?.split_once('`')
}

fn link_span(text: &str) -> Option<(&str, &str, &str)> {
    let (words, rest) = text.strip_prefix('[')?.split_once("](")?;
    let (to, after) = rest.split_once(')')?;
    to.starts_with(['#', '/']).then_some((words, to, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prose(text: &str) -> String {
        let mut html = Html::default();
        html.prose(text);
        html.finish()
    }

    #[test]
    fn text_and_attributes_are_escaped() {
        let mut html = Html::default();
        html.tag("a", &[("href", "\"><script>")], |html| html.text("<b> & 'c'"));
        let expected = "<a href=\"&quot;&gt;&lt;script&gt;\">&lt;b&gt; &amp; &#39;c&#39;</a>";
        assert_eq!(html.finish(), expected);
    }

    #[test]
    fn a_paragraph_may_end_in_a_list() {
        let mut html = Html::default();
        html.paragraph("Two - words.\n\n- `a`: One.\n- b");
        assert_eq!(
            html.finish(),
            "<p>Two - words.</p><ul class=\"words\"><li><code>a</code>: One.</li><li>b</li></ul>"
        );
    }

    #[test]
    fn prose_knows_code_and_links_and_nothing_else() {
        assert_eq!(prose("See `<a>` [here](#x)."), "See <code>&lt;a&gt;</code> <a href=\"#x\">here</a>.");
        assert_eq!(prose("[`x`](/y)"), "<a href=\"/y\"><code>x</code></a>");
        assert_eq!(prose("[x](javascript:y) `z"), "[x](javascript:y) `z");
    }
}
