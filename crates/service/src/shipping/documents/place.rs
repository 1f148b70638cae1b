//! Where a file is: the key of its object in the file store and, in a pack, its offset.

/// Separates the object's key from the offset of the file in it.
pub const OFFSET_MARK: char = '@';

/// Splits a place into the key of its object and the offset of the file in it.
pub fn locate(place: &str) -> (&str, u64) {
    let packed = place.rsplit_once(OFFSET_MARK).and_then(|(key, offset)| Some((key, offset.parse().ok()?)));
    packed.unwrap_or((place, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_names_an_object_and_an_offset_in_it() {
        assert_eq!(locate("org_1_test/doc_1"), ("org_1_test/doc_1", 0));
        assert_eq!(locate("org_1_test/pack-doc_1@4096"), ("org_1_test/pack-doc_1", 4096));
        assert_eq!(locate("org_1/a@b"), ("org_1/a@b", 0));
    }
}
