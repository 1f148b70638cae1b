//! Masses as text.

/// Formats grams for people: `1.2 kg`.
pub(crate) fn kilograms(grams: Option<i64>) -> String {
    let Some(grams) = grams else { return String::new() };
    let text = format!("{}.{:03}", grams / 1000, grams % 1000);
    format!("{} kg", text.trim_end_matches('0').trim_end_matches('.'))
}
