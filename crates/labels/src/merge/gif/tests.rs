//! GIFs as others write them, as a test writes them, and as nobody should.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;
use crate::merge::{converted, converted_exactly};
use model::shipping::shipment::LabelFormat;

/// The well-known example of tutorials: ten by ten dots in red, blue and white.
const TUTORIAL: &[u8] = &[
    0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 0x0a, 0x00, 0x0a, 0x00, 0x91, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff,
    0x00, 0x00, 0x00, 0x00, 0xff, 0x00, 0x00, 0x00, 0x21, 0xf9, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x2c,
    0x00, 0x00, 0x00, 0x00, 0x0a, 0x00, 0x0a, 0x00, 0x00, 0x02, 0x16, 0x8c, 0x2d, 0x99, 0x87, 0x2a, 0x1c,
    0xdc, 0x33, 0xa0, 0x02, 0x75, 0xec, 0x95, 0xfa, 0xa8, 0xde, 0x60, 0x8c, 0x04, 0x91, 0x4c, 0x01, 0x00,
    0x3b,
];
const TUTORIAL_DOTS: [&str; 10] = [
    "1111122222",
    "1111122222",
    "1111122222",
    "1110000222",
    "1110000222",
    "2220000111",
    "2220000111",
    "2222211111",
    "2222211111",
    "2222211111",
];
const BLACK_AND_WHITE: &[[u8; 3]] = &[[0; 3], [255; 3]];

/// Writes codes of growing length, least significant bit first.
#[derive(Default)]
struct Codes {
    bytes: Vec<u8>,
    bits: u32,
    count: u32,
}

impl Codes {
    fn put(&mut self, code: u16, bits: u32) {
        self.bits |= u32::from(code) << self.count;
        self.count += bits;
        while self.count >= 8 {
            self.bytes.push(self.bits as u8);
            self.bits >>= 8;
            self.count -= 8;
        }
    }
}

/// Compresses as GIF's own encoder does.
fn compressed(dots: &[u8], byte_bits: u32) -> Vec<u8> {
    let clear = 1_u16 << byte_bits;
    let (mut codes, mut known, mut bits) = (Codes::default(), HashMap::new(), byte_bits + 1);
    let mut next = clear + 2;
    codes.put(clear, bits);
    let mut prefix = u16::from(dots[0]);
    for dot in &dots[1..] {
        if let Some(code) = known.get(&(prefix, *dot)) {
            prefix = *code;
            continue;
        }
        codes.put(prefix, bits);
        if next == 4096 {
            codes.put(clear, bits);
            (bits, next) = (byte_bits + 1, clear + 2);
            known.clear();
        } else {
            if next == 1 << bits {
                bits += 1;
            }
            known.insert((prefix, *dot), next);
            next += 1;
        }
        prefix = u16::from(*dot);
    }
    codes.put(prefix, bits);
    if next == 1 << bits && bits < 12 {
        bits += 1;
    }
    codes.put(clear + 1, bits);
    codes.put(0, 7);
    codes.bytes
}

/// Writes a GIF of one picture, with `flags` of the picture.
fn gif(size: (u16, u16), palette: &[[u8; 3]], dots: &[u8], flags: u8) -> Vec<u8> {
    let bits = palette.len().next_power_of_two().trailing_zeros().max(1);
    let mut file = b"GIF89a".to_vec();
    file.extend([size.0.to_le_bytes(), size.1.to_le_bytes()].concat());
    file.extend([0x80 | (bits as u8 - 1), 0, 0]);
    let mut colours = palette.to_vec();
    colours.resize(1 << bits, [9, 9, 9]);
    file.extend(colours.concat());
    file.extend([0x2c, 0, 0, 0, 0]);
    file.extend([size.0.to_le_bytes(), size.1.to_le_bytes()].concat());
    file.push(flags);
    let byte_bits = bits.max(2);
    file.push(byte_bits as u8);
    for block in compressed(dots, byte_bits).chunks(255) {
        file.push(block.len() as u8);
        file.extend(block);
    }
    file.extend([0, 0x3b]);
    file
}

fn refusal(file: &[u8]) -> String {
    gif_as_png(file).unwrap_err().to_string()
}

/// Returns the size and the colours of a PNG.
fn colours(png: &[u8]) -> (u32, u32, Vec<[u8; 3]>) {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(png));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    bytes.truncate(info.buffer_size());
    let colours = match info.color_type {
        ColorType::Grayscale => bytes.iter().map(|grey| [*grey; 3]).collect(),
        ColorType::Rgb => bytes.chunks_exact(3).map(|dot| [dot[0], dot[1], dot[2]]).collect(),
        other => panic!("{other:?}"),
    };
    (info.width, info.height, colours)
}

#[test]
fn a_picture_of_another_encoder_has_the_same_dots() {
    let (width, height, dots) = colours(&gif_as_png(TUTORIAL).unwrap());
    let palette = [[255, 255, 255], [255, 0, 0], [0, 0, 255], [0, 0, 0]];
    let expected: Vec<[u8; 3]> = TUTORIAL_DOTS
        .iter()
        .flat_map(|row| row.bytes().map(|digit| palette[usize::from(digit - b'0')]))
        .collect();
    assert_eq!((width, height, dots), (10, 10, expected));
}

#[test]
fn black_and_white_stays_so_and_becomes_zpl_of_the_same_dots() {
    let dots: Vec<u8> = (0..24 * 3).map(|place| u8::from(place % 5 == 0)).collect();
    let png = gif_as_png(&gif((24, 3), BLACK_AND_WHITE, &dots, 0)).unwrap();
    assert_eq!((png[24], png[25]), (1, 0), "one bit of grey");
    let (.., seen) = colours(&png);
    assert!(seen.iter().zip(&dots).all(|(colour, dot)| *colour == [255 * dot; 3]));
    let zpl = String::from_utf8(converted_exactly(&png, LabelFormat::Zpl).unwrap()).unwrap();
    assert!(zpl.starts_with("^XA") && zpl.contains("^GF"), "{zpl}");
    assert!(converted_exactly(&png, LabelFormat::Pdf).unwrap().starts_with(b"%PDF-"));
    assert_eq!(converted_exactly(&png, LabelFormat::Png), None);
}

#[test]
fn what_would_lose_something_is_not_converted() {
    let of = |palette: &[[u8; 3]]| gif_as_png(&gif((2, 2), palette, &[0, 1, 1, 0], 0)).unwrap();
    let (grey, coloured) = (of(&[[0; 3], [128; 3]]), of(&[[0; 3], [200, 0, 0]]));
    assert!(converted_exactly(&grey, LabelFormat::Pdf).is_some());
    assert_eq!(converted_exactly(&grey, LabelFormat::Zpl), None);
    assert_eq!(converted_exactly(&coloured, LabelFormat::Pdf), None);
    assert_eq!(converted_exactly(b"no picture", LabelFormat::Pdf), None);
    // A label of four inches at 300 dpi would have to be scaled.
    let wide = gif_as_png(&gif((1_200, 1), BLACK_AND_WHITE, &[1; 1_200], 0)).unwrap();
    assert_eq!(converted_exactly(&wide, LabelFormat::Zpl), None);
    assert!(converted(&wide, LabelFormat::Png, LabelFormat::Zpl).unwrap().is_ok());
}

#[test]
fn an_interlaced_picture_is_put_in_order() {
    // Ten rows of one dot, each with a colour of its own.
    let palette: Vec<[u8; 3]> = (0..10).map(|grey| [grey * 20; 3]).collect();
    let (.., seen) =
        colours(&gif_as_png(&gif((1, 10), &palette, &[0, 8, 4, 2, 6, 1, 3, 5, 7, 9], 0x40)).unwrap());
    assert_eq!(seen, palette);
}

#[test]
fn what_is_transparent_or_not_covered_is_white() {
    let mut file = gif((2, 1), BLACK_AND_WHITE, &[0, 1], 0);
    let picture = file.iter().position(|byte| *byte == 0x2c).unwrap();
    file.splice(picture..picture, [0x21, 0xf9, 4, 1, 0, 0, 0, 0]);
    assert_eq!(colours(&gif_as_png(&file).unwrap()).2, [[255; 3]; 2]);
    let mut file = gif((2, 1), BLACK_AND_WHITE, &[0, 0], 0);
    // The screen is four dots wide, and the picture begins at the second.
    file[6] = 4;
    let picture = file.iter().position(|byte| *byte == 0x2c).unwrap();
    file[picture + 1] = 1;
    assert_eq!(colours(&gif_as_png(&file).unwrap()).2, [[255; 3], [0; 3], [0; 3], [255; 3]]);
}

#[test]
fn a_picture_that_is_larger_than_a_sheet_is_refused_before_it_is_decoded() {
    let mut file = gif((4, 4), BLACK_AND_WHITE, &[0; 16], 0);
    file[6..10].copy_from_slice(&[0xff; 4]);
    assert!(refusal(&file).contains("too large"), "{}", refusal(&file));
    file[6..10].copy_from_slice(&[0xff, 0x4f, 0xff, 0x08]);
    assert!(refusal(&file).contains("too large"));
    file[6..10].copy_from_slice(&[0; 4]);
    assert!(refusal(&file).contains("empty"));
}

#[test]
fn several_pictures_none_and_parts_of_one_are_refused() {
    let file = gif((4, 4), BLACK_AND_WHITE, &[0; 16], 0);
    let picture = file.iter().position(|byte| *byte == 0x2c).unwrap();
    let twice = [&file[..file.len() - 1], &file[picture..]].concat();
    assert!(refusal(&twice).contains("several pictures"));
    assert!(refusal(&[&file[..picture], &[0x3b][..]].concat()).contains("no picture"));
    for end in 0..file.len() {
        assert!(gif_as_png(&file[..end]).is_err(), "{end} bytes");
    }
    // More dots than the picture has: the rest is not part of it.
    let much = gif((4, 4), BLACK_AND_WHITE, &[1; 10_000], 0);
    assert_eq!(colours(&gif_as_png(&much).unwrap()).2, [[255; 3]; 16]);
    // It fits, but its dots end too early.
    let mut few = gif((4, 4), BLACK_AND_WHITE, &[1; 3], 0);
    assert!(refusal(&few).contains("too early"));
    few[picture + 1] = 1;
    assert!(refusal(&few).contains("does not fit"));
}

proptest! {
    #[test]
    fn any_picture_keeps_its_dots(
        width in 1_u16..200, height in 1_u16..60, colours_count in 2_usize..=256, seed in any::<u64>(), run in 1_u64..40,
    ) {
        let mut state = seed | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let palette: Vec<[u8; 3]> = (0..colours_count).map(|_| next().to_le_bytes()).map(|it| [it[0], it[1], it[2]]).collect();
        let mut dot = 0;
        let dots: Vec<u8> = (0..usize::from(width) * usize::from(height))
            .map(|_| {
                if next() % run == 0 {
                    dot = (next() % colours_count as u64) as u8;
                }
                dot
            })
            .collect();
        let (seen_width, seen_height, seen) = colours(&gif_as_png(&gif((width, height), &palette, &dots, 0)).unwrap());
        prop_assert_eq!((seen_width, seen_height), (u32::from(width), u32::from(height)));
        prop_assert!(seen.iter().zip(&dots).all(|(colour, dot)| *colour == palette[usize::from(*dot)]));
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200), place in 0_usize..69) {
        let _ = gif_as_png(&bytes);
        let mut changed = TUTORIAL.to_vec();
        for (byte, other) in changed[place..].iter_mut().zip(&bytes) {
            *byte = *other;
        }
        if let Err(error) = gif_as_png(&changed) {
            prop_assert!(error.to_string().len() < 200);
        }
    }
}
