//! Address lines for carriers that limit their length.

use model::places::address::PostalAddress;

/// Returns the address lines. If one is too long, all are wrapped at their spaces, so that nothing of an address is cut off. Returns
/// `None` if they don't fit.
pub fn address_lines(postal: &PostalAddress, chars: usize, lines: usize) -> Option<Vec<String>> {
    let given = [Some(&postal.line_1), postal.line_2.as_ref(), postal.line_3.as_ref()];
    let given: Vec<String> = given
        .into_iter()
        .flatten()
        .map(|line| line.trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect();
    if given.iter().all(|line| line.chars().count() <= chars) {
        return Some(given);
    }
    let mut wrapped: Vec<String> = Vec::new();
    for word in given.join(", ").split(' ') {
        match wrapped.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= chars => {
                line.push(' ');
                line.push_str(word);
            }
            _ => wrapped.push(word.to_owned()),
        }
    }
    let fits = wrapped.len() <= lines && wrapped.iter().all(|line| line.chars().count() <= chars);
    fits.then_some(wrapped)
}
