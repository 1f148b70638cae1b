//! Search terms: the texts by which resources are found, in the form in which both engines compare them.
//!
//! A text is folded (case, accents and compatibility forms are equal) and divided into words. A field of a resource has a
//! whole, which finds it by its beginning, and its further words. The same functions make the terms of a resource and those
//! of a query, so a resource is found by everything that is written in it.

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::canonical_combining_class;

/// The first character of a term that is the whole of a field.
pub const WHOLE: char = '=';
/// The first character of a term that is a further word of a field.
pub const WORD: char = '~';
/// Characters of a whole or a word that are compared. What follows is ignored.
pub const TERM_CHARS_MAX: usize = 60;
/// Words of a field that are compared.
pub const WORDS_MAX: usize = 12;
/// Maximum number of terms of a resource.
pub const TERMS_MAX: usize = 120;
/// The lowest class of marks that folding removes: accents, and the points of Hebrew and Arabic. Lower classes change the
/// letter, as the voicing of kana does.
const ACCENT_CLASS_MIN: u8 = 10;
/// How often a text is folded again at most, until nothing changes.
const PASSES_MAX: usize = 3;

/// How the text of a field is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// A name: word by word, in this order.
    Text,
    /// A code that has parts, such as `SO-1001`: without what separates the parts, and by each part.
    Code,
    /// A number, such as a tracking number or a post code: without what separates its digits.
    Number,
}

/// A field by which a resource is found.
#[derive(Clone, Debug)]
pub struct SearchedField {
    /// The JSON pointer of the field.
    pub at: &'static str,
    pub form: Form,
    pub text: String,
}

/// What a search compares and shows of a resource.
#[derive(Clone, Debug, Default)]
pub struct Searched {
    /// What people call the resource. Without it, it has only its id.
    pub title: Option<String>,
    pub subtitle: Option<String>,
    /// The fields, the most telling first.
    pub fields: Vec<SearchedField>,
}

/// A term and the field that it is of.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldTerm {
    pub at: &'static str,
    pub form: Form,
    pub term: String,
}

impl Searched {
    /// Adds a field, if the resource has it.
    pub fn add(&mut self, at: &'static str, form: Form, text: Option<&str>) {
        if let Some(text) = text {
            self.fields.push(SearchedField { at, form, text: text.to_owned() });
        }
    }

    /// Returns the terms of all fields, each with its field, [`TERMS_MAX`] at most.
    pub fn field_terms(&self) -> Vec<FieldTerm> {
        let mut terms = Vec::new();
        for SearchedField { at, form, text } in &self.fields {
            let words = words(text);
            let Some(whole) = whole(*form, &words) else { continue };
            terms.push(FieldTerm { at, form: *form, term: term(WHOLE, &whole) });
            // The whole begins with the first word, and is found by it.
            let further = words.iter().skip(1).filter(|_| *form != Form::Number);
            terms.extend(further.map(|word| FieldTerm { at, form: *form, term: term(WORD, word) }));
        }
        terms.truncate(TERMS_MAX);
        terms
    }

    /// Returns the terms of all fields, each once.
    pub fn terms(&self) -> BTreeSet<String> {
        self.field_terms().into_iter().map(|entry| entry.term).collect()
    }
}

/// Returns the words as one text in the form in which a whole is compared, or `None` if there are no words.
pub fn whole(form: Form, words: &[String]) -> Option<String> {
    let between = if form == Form::Text { " " } else { "" };
    (!words.is_empty()).then(|| words.join(between))
}

/// Returns a term: its first character, and the compared part of a text.
pub fn term(first: char, text: &str) -> String {
    std::iter::once(first).chain(text.chars().take(TERM_CHARS_MAX)).collect()
}

/// Returns the folded words of a text, [`WORDS_MAX`] at most.
pub fn words(text: &str) -> Vec<String> {
    all_words(text, WORDS_MAX)
}

/// Returns the folded words of a text, up to a limit.
pub fn all_words(text: &str, limit: usize) -> Vec<String> {
    let folded = fold(text);
    folded
        .split(|char| !is_of_word(char))
        .filter(|word| !word.is_empty())
        .take(limit)
        .map(str::to_owned)
        .collect()
}

fn is_of_word(char: char) -> bool {
    char.is_alphanumeric() || canonical_combining_class(char) != 0
}

/// Returns the text without case, accents and compatibility forms: `ÉCOLE` and `école` become `ecole`.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = fold_once(text);
    for _ in 1..PASSES_MAX {
        let again = fold_once(&folded);
        if again == folded {
            break;
        }
        folded = again;
    }
    folded
}

fn fold_once(text: &str) -> String {
    let is_kept = |char: &char| canonical_combining_class(*char) < ACCENT_CLASS_MIN;
    let lower = text.nfkd().filter(is_kept).flat_map(char::to_lowercase);
    let mut folded = String::with_capacity(text.len());
    for char in lower.nfkd().filter(is_kept) {
        match letters(char) {
            Some(letters) => folded.push_str(letters),
            None => folded.push(char),
        }
    }
    folded
}

/// Returns the letters by which people without a certain key write this one.
fn letters(char: char) -> Option<&'static str> {
    Some(match char {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'đ' | 'ð' => "d",
        'ł' => "l",
        'þ' => "th",
        'ħ' => "h",
        'ı' => "i",
        'ς' => "σ",
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
