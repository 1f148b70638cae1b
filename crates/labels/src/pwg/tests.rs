//! PWG raster is read again by a decoder that follows the text of PWG 5102.4, and shares nothing with the writer.

use super::*;
use proptest::prelude::*;

/// A page as a printer reads it.
#[derive(Debug, PartialEq)]
pub(crate) struct ReadPage {
    pub dpi: (u32, u32),
    /// The paper in points.
    pub paper: (u32, u32),
    pub paper_name: String,
    pub width: usize,
    pub height: usize,
    pub greys: Vec<u8>,
}

/// Reads a file. Panics if it is not what the text asks for.
pub(crate) fn read(file: &[u8]) -> Vec<ReadPage> {
    let mut rest = file.strip_prefix(b"RaS2").expect("the synchronisation word");
    let mut pages = Vec::new();
    while !rest.is_empty() {
        let (header, data) = rest.split_at(1796);
        let number = |at: usize| u32::from_be_bytes(header[at..at + 4].try_into().unwrap());
        let text = |at: usize| {
            let end = header[at..at + 64].iter().position(|byte| *byte == 0).expect("an end");
            std::str::from_utf8(&header[at..at + end]).unwrap().to_owned()
        };
        assert_eq!(text(0), "PwgRaster");
        // 8 bits per colour and pixel, chunked, sGray, one colour; fed as it is.
        assert_eq!([384, 388, 396, 400, 420, 456, 460].map(number), [8, 8, 0, 18, 1, 1, 1]);
        let (width, height) = (number(372) as usize, number(376) as usize);
        assert_eq!(number(392) as usize, width);
        let (greys, after) = rows(data, width, height);
        pages.push(ReadPage {
            dpi: (number(276), number(280)),
            paper: (number(352), number(356)),
            paper_name: text(1732),
            width,
            height,
            greys,
        });
        rest = after;
    }
    pages
}

fn rows(mut data: &[u8], width: usize, height: usize) -> (Vec<u8>, &[u8]) {
    let mut greys = Vec::with_capacity(width * height);
    let mut take = |count: usize| {
        let (taken, rest) = data.split_at(count);
        data = rest;
        taken
    };
    while greys.len() < width * height {
        let repeats = usize::from(take(1)[0]) + 1;
        let mut row = Vec::with_capacity(width);
        while row.len() < width {
            match take(1)[0] {
                count @ 0..=127 => row.extend(std::iter::repeat_n(take(1)[0], usize::from(count) + 1)),
                128 => panic!("the code 128 is not used"),
                count => row.extend_from_slice(take(257 - usize::from(count))),
            }
        }
        assert_eq!(row.len(), width, "runs end with their row");
        greys.extend(row.repeat(repeats));
    }
    assert_eq!(greys.len(), width * height, "repeated rows end with the page");
    (greys, data)
}

#[test]
fn the_header_says_what_the_page_is() {
    let mut file = PwgFile::new(300, 2);
    file.add_dots(&Bitmap::new(8, 1), (288.0, 432.0));
    file.add_dots(&Bitmap::new(8, 1), (297.64, 419.53));
    let bytes = file.finish();
    let pages = read(&bytes);
    assert_eq!((pages[0].width, pages[0].height, pages[0].dpi), (1200, 1800, (300, 300)));
    assert_eq!((pages[0].paper, pages[0].paper_name.as_str()), ((288, 432), "na_index-4x6_4x6in"));
    assert_eq!((pages[1].paper, pages[1].paper_name.as_str()), ((298, 420), "iso_a6_105x148mm"));
    assert!(pages.iter().all(|page| page.greys.iter().all(|grey| *grey == WHITE)));
    // The count of pages, as the standard places it.
    assert_eq!(&bytes[4 + 452..4 + 456], &[0, 0, 0, 2]);
    assert!(bytes.len() < 3 * HEADER_BYTES, "white paper takes little room: {}", bytes.len());
}

#[test]
fn dots_are_black_where_they_are_and_the_rest_of_the_paper_is_white() {
    let mut bitmap = Bitmap::new(11, 3);
    for (x, y) in [(0, 0), (10, 0), (7, 2), (8, 2)] {
        bitmap.set(x, y, true);
    }
    let mut file = PwgFile::new(72, 1);
    file.add_dots(&bitmap, (20.0, 5.0));
    let page = read(&file.finish()).remove(0);
    assert_eq!((page.width, page.height), (20, 5));
    let black: Vec<_> = (0..100).filter(|at| page.greys[*at] == BLACK).map(|at| (at % 20, at / 20)).collect();
    assert_eq!(black, [(0, 0), (10, 0), (7, 2), (8, 2)]);
}

proptest! {
    #[test]
    fn every_page_reads_back(
        width in 1_usize..400,
        rows in proptest::collection::vec(
            (proptest::collection::vec(prop_oneof![3 => Just(255_u8), 2 => Just(0), 2 => any::<u8>()], 400), 1_usize..600), 1..5)
    ) {
        let greys: Vec<u8> = rows.iter().flat_map(|(row, count)| row[..width].repeat(*count)).collect();
        let page = GreyPage { width, height: greys.len() / width, greys };
        let mut file = PwgFile::new(600, 1);
        file.add_greys(&page, (100.0, 100.0));
        let read = read(&file.finish());
        prop_assert_eq!(read.len(), 1);
        prop_assert_eq!((read[0].width, read[0].height), (page.width, page.height));
        prop_assert!(read[0].greys == page.greys);
    }
}
