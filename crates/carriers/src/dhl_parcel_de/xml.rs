//! The XML of DHL's tracking: elements with attributes. It is read strictly: an answer that is cut, or that has more than one document, is
//! none. Documents that declare entities are refused, and no element is read by recursion, so that no answer is too deep.

/// Most elements that are open at once.
const DEPTH_MAX: usize = 64;

/// An element, without what is in it.
#[derive(Debug, Default, PartialEq)]
pub struct Element {
    pub name: String,
    pub attributes: Vec<(String, String)>,
    /// How many elements it is in.
    pub depth: usize,
}

impl Element {
    /// The value of an attribute that is not empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
    }
}

/// Returns all elements of a document in the order in which they begin; `None` if it is not one whole document.
pub fn elements(body: &[u8]) -> Option<Vec<Element>> {
    // Old answers are in Latin-1, whose bytes are the first characters of Unicode.
    let text = match std::str::from_utf8(body) {
        Ok(text) => text.to_owned(),
        Err(_) => body.iter().copied().map(char::from).collect(),
    };
    let mut rest = text.trim_start_matches('\u{feff}');
    let (mut elements, mut open): (Vec<Element>, Vec<String>) = (Vec::new(), Vec::new());
    while let Some(start) = rest.find('<') {
        let is_outside = open.is_empty();
        if is_outside && !rest[..start].trim().is_empty() {
            return None;
        }
        rest = &rest[start..];
        if let Some(after) = rest.strip_prefix("<?") {
            rest = &after[after.find("?>")? + 2..];
        } else if let Some(after) = rest.strip_prefix("<!--") {
            rest = &after[after.find("-->")? + 3..];
        } else if let Some(after) = rest.strip_prefix("</") {
            let end = after.find('>')?;
            (open.pop()? == after[..end].trim()).then_some(())?;
            rest = &after[end + 1..];
        } else {
            if is_outside && !elements.is_empty() || open.len() >= DEPTH_MAX {
                return None;
            }
            let (element, is_empty, after) = begin(&rest[1..], open.len())?;
            if !is_empty {
                open.push(element.name.clone());
            }
            elements.push(element);
            rest = after;
        }
    }
    (open.is_empty() && !elements.is_empty() && rest.trim().is_empty()).then_some(elements)
}

/// Reads an element after its `<`. Returns it, whether it has nothing in it, and what follows.
fn begin(text: &str, depth: usize) -> Option<(Element, bool, &str)> {
    let end = text.find(|char: char| char.is_whitespace() || matches!(char, '>' | '/'))?;
    let (name, mut rest) = text.split_at(end);
    let is_name = name.starts_with(|char: char| char.is_alphabetic() || char == '_');
    // A declaration of a document type, or CDATA, begins with `!`.
    is_name.then_some(())?;
    let mut attributes = Vec::new();
    loop {
        rest = rest.trim_start();
        let element = |attributes| Element { name: name.to_owned(), attributes, depth };
        if let Some(after) = rest.strip_prefix("/>") {
            return Some((element(attributes), true, after));
        }
        if let Some(after) = rest.strip_prefix('>') {
            return Some((element(attributes), false, after));
        }
        let (attribute, after) = rest.split_once('=')?;
        let after = after.trim_start();
        let quote = after.chars().next().filter(|char| matches!(char, '"' | '\''))?;
        let (value, after) = after[1..].split_once(quote)?;
        let attribute = attribute.trim();
        let is_attribute = !attribute.is_empty()
            && !attribute.contains(|char: char| char.is_whitespace() || "<>/\"'".contains(char));
        (is_attribute && !value.contains('<')).then_some(())?;
        attributes.push((attribute.to_owned(), unescaped(value)?));
        rest = after;
    }
}

/// Replaces the entities that every document has, and characters by their numbers.
fn unescaped(value: &str) -> Option<String> {
    let mut text = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, after)) = rest.split_once('&') {
        text.push_str(before);
        let (entity, after) = after.split_once(';')?;
        text.push(match entity {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "apos" => '\'',
            number => {
                let number = number.strip_prefix('#')?;
                let code = match number.strip_prefix('x') {
                    Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                    None => number.parse().ok()?,
                };
                char::from_u32(code)?
            }
        });
        rest = after;
    }
    text.push_str(rest);
    Some(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// An element's name, its depth and its attributes.
    type Row = (String, usize, Vec<(String, String)>);

    fn read(text: &str) -> Option<Vec<Row>> {
        let elements = elements(text.as_bytes())?;
        Some(elements.into_iter().map(|element| (element.name, element.depth, element.attributes)).collect())
    }

    #[test]
    fn elements_are_read_with_their_attributes() {
        let text = "<?xml version=\"1.0\"?>\n<!-- c > --><a x=\"1\" y = '&lt;&#228;&#x41;&quot;'><b/>words<c d=\"\"></c></a>\n";
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            read(text),
            Some(vec![
                ("a".to_owned(), 0, vec![pair("x", "1"), pair("y", "<äA\"")]),
                ("b".to_owned(), 1, vec![]),
                ("c".to_owned(), 1, vec![pair("d", "")]),
            ])
        );
        let latin = elements(b"<a x=\"Stra\xdfe\"/>").unwrap();
        assert_eq!(latin[0].get("x"), Some("Straße"));
    }

    #[test]
    fn what_is_not_one_whole_document_is_none() {
        for text in [
            "",
            " ",
            "words",
            "<a>",
            "<a",
            "<a x=\"1\"",
            "</a>",
            "<a></b>",
            "<a/><b/>",
            "<a/>words",
            "words<a/>",
            "<a x=1/>",
            "<a x=\"&e;\"/>",
            "<!DOCTYPE a [<!ENTITY e \"x\">]><a/>",
            "<a><![CDATA[x]]></a>",
            "<a x=\"<\"/>",
            "<1/>",
            "<a x y=\"1\"/>",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read(&"<a>".repeat(100_000)), None, "too deep");
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_document_or_none(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = elements(&bytes);
        }

        #[test]
        fn any_marks_are_a_document_or_none(text in "[<>/!?a=\"'& ;x#-]{0,60}") {
            let _ = elements(text.as_bytes());
        }

        #[test]
        fn a_document_that_is_cut_is_none(end in 0usize..40) {
            let text = "<a x=\"1\"><b y='2'/><c>words</c></a>";
            let end = end.min(text.len() - 1);
            prop_assert_eq!(elements(&text.as_bytes()[..end]), None);
        }
    }
}
