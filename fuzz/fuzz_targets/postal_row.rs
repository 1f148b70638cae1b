//! Any lines as a table of post codes: each is read or refused, and areas come out of it whose places are on the globe.
#![no_main]

use libfuzzer_sys::fuzz_target;
use model::places::geo::{PostalAreas, PostalRow, lookup_keys};

fuzz_target!(|text: &str| {
    let mut areas = PostalAreas::default();
    let mut rows = 0;
    for row in text.lines().filter_map(|line| PostalRow::parse(line).ok()) {
        areas.add(row);
        rows += 1;
    }
    assert!(areas.len() <= rows);
    for area in areas.into_areas() {
        assert!((-90_000_000..=90_000_000).contains(&area.latitude), "{area:?}");
        assert!((-180_000_000..180_000_000).contains(&area.longitude), "{area:?}");
        assert!(lookup_keys(area.country, &area.post_code).iter().any(|key| key.post_code == area.post_code));
    }
});
