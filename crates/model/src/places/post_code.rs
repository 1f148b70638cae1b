//! Post codes: checked against the pattern of their country and normalised, so that rates, zones and labels compare
//! equal text regardless of the client's spelling.

use std::sync::OnceLock;

use regex_lite::Regex;

use crate::places::country::CountryCode;

use Joint::{Hyphen, Omitted, Space, Whole};

/// Longest text that is matched, in characters. No pattern matches a longer one; the limit bounds the work for
/// hostile input.
const LONGEST: usize = 16;

/// The separator between the parts of a country's post code in its normal form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Joint {
    /// The pattern has no separator.
    Whole,
    /// The pattern allows a space, but the country's postal operator does not write one.
    Omitted,
    /// A space, also if the input has none or a hyphen.
    Space,
    /// A hyphen, also if the input has none or a space.
    Hyphen,
}

/// One country's rule: country, pattern (not anchored), examples separated by commas, separator.
type Row = (&'static str, &'static str, &'static str, Joint);

/// The rules by country, sorted for the binary search. A country without a rule accepts any post code.
///
/// Patterns and examples are the `zip` and `zipex` data of libaddressinput by Google
/// (<https://github.com/google/libaddressinput>), used under CC BY 4.0
/// (<https://creativecommons.org/licenses/by/4.0/>). Changes to the source: AC and TA are omitted because they are
/// not ISO 3166-1 codes, the examples of SE have the space that PostNord writes, and the separator was added.
static ROWS: [Row; 179] = [
    ("AD", r"AD[1-7]0\d", "AD100,AD501,AD700", Whole),
    ("AF", r"\d{4}", "1001,2601,3801", Whole),
    ("AI", "(?:AI-)?2640", "2640", Hyphen),
    ("AL", r"\d{4}", "1001,1017,3501", Whole),
    ("AM", r"(?:37)?\d{4}", "375010,0002,0010", Whole),
    ("AR", r"((?:[A-HJ-NP-Z])?\d{4})([A-Z]{3})?", "C1070AAM,C1000WAM,B1000TBU,X5187XAB", Whole),
    ("AS", r"(96799)(?:[ \-](\d{4}))?", "96799", Hyphen),
    ("AT", r"\d{4}", "1010,3741", Whole),
    ("AU", r"\d{4}", "2060,3171,6430,4000,4006,3001", Whole),
    ("AX", r"22\d{3}", "22150,22550,22240,22710,22270,22730,22430", Whole),
    ("AZ", r"\d{4}", "1000", Whole),
    ("BA", r"\d{5}", "71000", Whole),
    ("BB", r"BB\d{5}", "BB23026,BB22025", Whole),
    ("BD", r"\d{4}", "1340,1000", Whole),
    ("BE", r"\d{4}", "4000,1000", Whole),
    ("BG", r"\d{4}", "1000,1700", Whole),
    ("BH", r"(?:^|\b)(?:1[0-2]|[1-9])\d{2}(?:$|\b)", "317", Whole),
    ("BL", r"9[78][01]\d{2}", "97100", Whole),
    ("BM", "[A-Z]{2} ?[A-Z0-9]{2}", "FL 07,HM GX,HM 12", Space),
    ("BN", r"[A-Z]{2} ?\d{4}", "BT2328,KA1131,BA1511", Omitted),
    ("BR", r"\d{5}-?\d{3}", "40301-110,70002-900", Hyphen),
    ("BT", r"\d{5}", "11001,31101,35003", Whole),
    ("BY", r"\d{6}", "223016,225860,220050", Whole),
    (
        "CA",
        r"[ABCEGHJKLMNPRSTVXY]\d[ABCEGHJ-NPRSTV-Z] ?\d[ABCEGHJ-NPRSTV-Z]\d",
        "H3Z 2Y7,V8X 3X4,T0L 1K0,T0H 1A0,K1A 0B1",
        Space,
    ),
    ("CC", "6799", "6799", Whole),
    ("CH", r"\d{4}", "2544,1211,1556,3030", Whole),
    ("CL", r"\d{7}", "8340457,8720019,1230000,8329100", Whole),
    ("CN", r"\d{6}", "266033,317204,100096,100808", Whole),
    ("CO", r"\d{6}", "111221,130001,760011", Whole),
    ("CR", r"\d{4,5}|\d{3}-\d{4}", "1000,2010,1001", Hyphen),
    ("CU", r"\d{5}", "10700", Whole),
    ("CV", r"\d{4}", "7600", Whole),
    ("CX", "6798", "6798", Whole),
    ("CY", r"\d{4}", "2008,3304,1900", Whole),
    ("CZ", r"\d{3} ?\d{2}", "100 00,251 66,530 87,110 00,225 99", Space),
    ("DE", r"\d{5}", "26133,53225", Whole),
    ("DK", r"\d{4}", "8660,1566", Whole),
    ("DO", r"\d{5}", "11903,10101", Whole),
    ("DZ", r"\d{5}", "40304,16027", Whole),
    ("EC", r"\d{6}", "090105,092301", Whole),
    ("EE", r"\d{5}", "69501,11212", Whole),
    ("EG", r"\d{5}", "12411,11599", Whole),
    ("EH", r"\d{5}", "70000,72000", Whole),
    ("ES", r"\d{5}", "28039,28300,28070", Whole),
    ("ET", r"\d{4}", "1000", Whole),
    ("FI", r"\d{5}", "00550,00011", Whole),
    ("FK", "FIQQ 1ZZ", "FIQQ 1ZZ", Space),
    ("FM", r"(9694[1-4])(?:[ \-](\d{4}))?", "96941,96944", Hyphen),
    ("FO", r"\d{3}", "100", Whole),
    ("FR", r"\d{2} ?\d{3}", "33380,34092,33506", Omitted),
    (
        "GB",
        concat!(
            "GIR ?0AA|(?:(?:AB|AL|B|BA|BB|BD|BF|BH|BL|BN|BR|BS|BT|BX|CA|CB|CF|CH|CM|CO|CR|CT|CV|",
            "CW|DA|DD|DE|DG|DH|DL|DN|DT|DY|E|EC|EH|EN|EX|FK|FY|G|GL|GY|GU|HA|HD|HG|HP|HR|HS|HU|",
            "HX|IG|IM|IP|IV|JE|KA|KT|KW|KY|L|LA|LD|LE|LL|LN|LS|LU|M|ME|MK|ML|N|NE|NG|NN|NP|NR|NW|",
            "OL|OX|PA|PE|PH|PL|PO|PR|RG|RH|RM|S|SA|SE|SG|SK|SL|SM|SN|SO|SP|SR|SS|ST|SW|SY|TA|TD|",
            "TF|TN|TQ|TR|TS|TW|UB|W|WA|WC|WD|WF|WN|WR|WS|WV|YO|",
            r"ZE)(?:\d[\dA-Z]? ?\d[ABD-HJLN-UW-Z]{2}))|BFPO ?\d{1,4}"
        ),
        concat!(
            "EC1Y 8SY,GIR 0AA,M2 5BQ,M34 4AB,CR0 2YR,DN16 9AA,W1A 4ZZ,EC1A 1HQ,OX14 4PG,BS18 8HF,",
            "NR25 7HG,RH6 0NP,BH23 6AA,B6 5BA,SO23 9AP,PO1 3AX,BFPO 61"
        ),
        Space,
    ),
    ("GE", r"\d{4}", "0101", Whole),
    ("GF", r"9[78]3\d{2}", "97300", Whole),
    ("GG", r"GY\d[\dA-Z]? ?\d[ABD-HJLN-UW-Z]{2}", "GY1 1AA,GY2 2BT", Space),
    ("GI", "GX11 1AA", "GX11 1AA", Space),
    ("GL", r"39\d{2}", "3900,3950,3911", Whole),
    ("GN", r"\d{3}", "001,200,100", Whole),
    ("GP", r"9[78][01]\d{2}", "97100", Whole),
    ("GR", r"\d{3} ?\d{2}", "151 24,151 10,101 88", Space),
    ("GS", "SIQQ 1ZZ", "SIQQ 1ZZ", Space),
    ("GT", r"\d{5}", "09001,01501", Whole),
    ("GU", r"(969(?:[12]\d|3[12]))(?:[ \-](\d{4}))?", "96910,96931", Hyphen),
    ("GW", r"\d{4}", "1000,1011", Whole),
    ("HM", r"\d{4}", "7050", Whole),
    ("HN", r"\d{5}", "31301", Whole),
    ("HR", r"\d{5}", "10000,21001,10002", Whole),
    ("HT", r"\d{4}", "6120,5310,6110,8510", Whole),
    ("HU", r"\d{4}", "1037,2380,1540", Whole),
    ("ID", r"\d{5}", "40115", Whole),
    ("IE", r"[\dA-Z]{3} ?[\dA-Z]{4}", "A65 F4E2", Space),
    ("IL", r"\d{5}(?:\d{2})?", "9614303", Whole),
    ("IM", r"IM\d[\dA-Z]? ?\d[ABD-HJLN-UW-Z]{2}", "IM2 1AA,IM99 1PS", Space),
    ("IN", r"\d{6}", "110034,110001", Whole),
    ("IO", "BBND 1ZZ", "BBND 1ZZ", Space),
    ("IQ", r"\d{5}", "31001", Whole),
    ("IR", r"\d{5}-?\d{5}", "11936-12345", Hyphen),
    ("IS", r"\d{3}", "320,121,220,110", Whole),
    ("IT", r"\d{5}", "00144,47037,39049", Whole),
    ("JE", r"JE\d[\dA-Z]? ?\d[ABD-HJLN-UW-Z]{2}", "JE1 1AA,JE2 2BT", Space),
    ("JO", r"\d{5}", "11937,11190", Whole),
    ("JP", r"\d{3}-?\d{4}", "154-0023,350-1106,951-8073,112-0001,208-0032,231-0012", Hyphen),
    ("KE", r"\d{5}", "20100,00100", Whole),
    ("KG", r"\d{6}", "720001", Whole),
    ("KH", r"\d{5,6}", "120101,120108", Whole),
    ("KR", r"\d{5}", "03051", Whole),
    ("KW", r"\d{5}", "54541,54551,54404,13009", Whole),
    ("KY", r"KY\d-\d{4}", "KY1-1100,KY1-1702,KY2-2101", Hyphen),
    ("KZ", r"\d{6}", "040900,050012", Whole),
    ("LA", r"\d{5}", "01160,01000", Whole),
    ("LB", r"(?:\d{4})(?: ?(?:\d{4}))?", "2038 3054,1107 2810,1000", Space),
    ("LI", "948[5-9]|949[0-8]", "9496,9491,9490,9485", Whole),
    ("LK", r"\d{5}", "20000,00100", Whole),
    ("LR", r"\d{4}", "1000", Whole),
    ("LS", r"\d{3}", "100", Whole),
    ("LT", r"\d{5}", "04340,03500", Whole),
    ("LU", r"\d{4}", "4750,2998", Whole),
    ("LV", r"LV-\d{4}", "LV-1073,LV-1000", Hyphen),
    ("MA", r"\d{5}", "53000,10000,20050,16052", Whole),
    ("MC", r"980\d{2}", "98000,98020,98011,98001", Whole),
    ("MD", r"\d{4}", "2012,2019", Whole),
    ("ME", r"8\d{4}", "81257,81258,81217,84314,85366", Whole),
    ("MF", r"9[78][01]\d{2}", "97100", Whole),
    ("MG", r"\d{3}", "501,101", Whole),
    ("MH", r"(969[67]\d)(?:[ \-](\d{4}))?", "96960,96970", Hyphen),
    ("MK", r"\d{4}", "1314,1321,1443,1062", Whole),
    ("MM", r"\d{5}", "11181", Whole),
    ("MN", r"\d{5}", "65030,65270", Whole),
    ("MP", r"(9695[012])(?:[ \-](\d{4}))?", "96950,96951,96952", Hyphen),
    ("MQ", r"9[78]2\d{2}", "97220", Whole),
    ("MT", r"[A-Z]{3} ?\d{2,4}", "NXR 01,ZTN 05,GPO 01,BZN 1130,SPB 6031,VCT 1753", Space),
    ("MU", r"\d{3}(?:\d{2}|[A-Z]{2}\d{3})", "42602", Whole),
    ("MV", r"\d{5}", "20026", Whole),
    ("MX", r"\d{5}", "02860,77520,06082", Whole),
    ("MY", r"\d{5}", "43000,50754,88990,50670", Whole),
    ("MZ", r"\d{4}", "1102,1119,3212", Whole),
    ("NA", r"\d{5}", "10001,10017", Whole),
    ("NC", r"988\d{2}", "98814,98800,98810", Whole),
    ("NE", r"\d{4}", "8001", Whole),
    ("NF", "2899", "2899", Whole),
    ("NG", r"\d{6}", "930283,300001,931104", Whole),
    ("NI", r"\d{5}", "52000", Whole),
    ("NL", r"[1-9]\d{3} ?(?:[A-RT-Z][A-Z]|S[BCE-RT-Z])", "1234 AB,2490 AA", Space),
    ("NO", r"\d{4}", "0025,0107,6631", Whole),
    ("NP", r"\d{5}", "44601", Whole),
    ("NZ", r"\d{4}", "6001,6015,6332,8252,1030", Whole),
    ("OM", r"(?:PC )?\d{3}", "133,112,111", Space),
    ("PE", r"(?:LIMA \d{1,2}|CALLAO 0?\d)|[0-2]\d{4}", "LIMA 23,LIMA 42,CALLAO 2,02001", Space),
    ("PF", r"987\d{2}", "98709", Whole),
    ("PG", r"\d{3}", "111", Whole),
    ("PH", r"\d{4}", "1008,1050,1135,1207,2000,1000", Whole),
    ("PK", r"\d{5}", "44000", Whole),
    ("PL", r"\d{2}-\d{3}", "00-950,05-470,48-300,32-015,00-940", Hyphen),
    ("PM", r"9[78]5\d{2}", "97500", Whole),
    ("PN", "PCRN 1ZZ", "PCRN 1ZZ", Space),
    ("PR", r"(00[679]\d{2})(?:[ \-](\d{4}))?", "00930", Hyphen),
    ("PT", r"\d{4}-\d{3}", "2725-079,1250-096,1201-950,2860-571,1208-148", Hyphen),
    ("PW", r"(969(?:39|40))(?:[ \-](\d{4}))?", "96940", Hyphen),
    ("PY", r"\d{4}", "1536,1538,1209", Whole),
    ("RE", r"9[78]4\d{2}", "97400", Whole),
    ("RO", r"\d{6}", "060274,061357,200716", Whole),
    ("RS", r"\d{5,6}", "106314", Whole),
    ("RU", r"\d{6}", "247112,103375,188300", Whole),
    ("SA", r"\d{5}", "11564,11187,11142", Whole),
    ("SD", r"\d{5}", "11042,11113", Whole),
    ("SE", r"\d{3} ?\d{2}", "114 55,123 45,105 00", Space),
    ("SG", r"\d{6}", "546080,308125,408600", Whole),
    ("SH", "(?:ASCN|STHL) 1ZZ", "STHL 1ZZ", Space),
    ("SI", r"\d{4}", "4000,1001,2500", Whole),
    ("SJ", r"\d{4}", "9170", Whole),
    ("SK", r"\d{3} ?\d{2}", "010 01,023 14,972 48,921 01,975 99", Space),
    ("SM", r"4789\d", "47890,47891,47895,47899", Whole),
    ("SN", r"\d{5}", "12500,46024,16556,10000", Whole),
    ("SO", r"[A-Z]{2} ?\d{5}", "JH 09010,AD 11010", Space),
    ("SV", r"CP [1-3][1-7][0-2]\d", "CP 1101", Space),
    ("SZ", r"[HLMS]\d{3}", "H100", Whole),
    ("TC", "TKCA 1ZZ", "TKCA 1ZZ", Space),
    ("TH", r"\d{5}", "10150,10210", Whole),
    ("TJ", r"\d{6}", "735450,734025", Whole),
    ("TM", r"\d{6}", "744000", Whole),
    ("TN", r"\d{4}", "1002,8129,3100,1030", Whole),
    ("TR", r"\d{5}", "01960,06101", Whole),
    ("TW", r"\d{3}(?:\d{2,3})?", "104,106,10603,40867", Whole),
    ("TZ", r"\d{4,5}", "6090,34413", Whole),
    ("UA", r"\d{5}", "15432,01055,01001", Whole),
    ("UM", "96898", "96898", Whole),
    ("US", r"(\d{5})(?:[ \-](\d{4}))?", "95014,22162-1010", Hyphen),
    ("UY", r"\d{5}", "11600", Whole),
    ("UZ", r"\d{6}", "702100,700000", Whole),
    ("VA", "00120", "00120", Whole),
    ("VC", r"VC\d{4}", "VC0100,VC0110,VC0400", Whole),
    ("VE", r"\d{4}", "1010,3001,8011,1020", Whole),
    ("VG", r"VG\d{4}", "VG1110,VG1150,VG1160", Whole),
    ("VI", r"(008(?:(?:[0-4]\d)|(?:5[01])))(?:[ \-](\d{4}))?", "00802-1222,00850-9802", Hyphen),
    ("VN", r"\d{5}\d?", "70010,55999", Whole),
    ("WF", r"986\d{2}", "98600", Whole),
    ("XK", r"[1-7]\d{4}", "10000", Whole),
    ("YT", r"976\d{2}", "97600", Whole),
    ("ZA", r"\d{4}", "0083,1451,0001", Whole),
    ("ZM", r"\d{5}", "50100,50101", Whole),
];

/// Countries in which an address without a post code is not delivered, sorted for the binary search.
///
/// These are the countries whose `require` in libaddressinput has a `Z`, and the members of the European Economic
/// Area whose `require` lacks it although their carriers reject an address without a post code. Ireland is not
/// listed: an Eircode is optional. Countries with post codes that many addresses lack, such as Israel and Thailand,
/// are not listed either.
static REQUIRED: [&str; 81] = [
    "AS", "AT", "AU", "AX", "BE", "BG", "BL", "BR", "CA", "CH", "CN", "CY", "CZ", "DE", "DK", "EE", "ES",
    "FI", "FK", "FM", "FR", "GB", "GF", "GG", "GL", "GP", "GR", "GS", "GU", "HR", "HU", "IM", "IN", "IO",
    "IS", "IT", "JE", "JP", "KR", "LI", "LT", "LU", "LV", "MC", "MF", "MH", "MP", "MQ", "MT", "MX", "MY",
    "NC", "NL", "NO", "NZ", "PF", "PL", "PM", "PN", "PR", "PT", "PW", "RE", "RO", "RU", "SE", "SG", "SH",
    "SI", "SJ", "SK", "SM", "TC", "TR", "TW", "UA", "US", "VI", "WF", "YT", "ZA",
];

/// The compiled patterns, in the order of `ROWS`. Each is compiled at its first use and then kept, because compiling
/// takes far longer than matching and every address needs it.
static COMPILED: [OnceLock<Option<Regex>>; ROWS.len()] = [const { OnceLock::new() }; ROWS.len()];

/// Returns the normalised post code, or an example of a valid one as the error.
///
/// A country without a pattern accepts every post code, because a wrong rejection would stop a parcel that could be
/// delivered.
pub fn normalise(country: CountryCode, raw: &str) -> Result<String, &'static str> {
    let text = tidy(raw);
    let Some((at, row)) = find(country) else { return Ok(text) };
    // A pattern that does not compile counts as no pattern. A test ensures that all compile.
    let Some(regex) = compiled(at, row) else { return Ok(text) };
    if text.len() > LONGEST || !text.is_ascii() {
        return Err(first_example(row));
    }
    join(regex, row.3, text).ok_or_else(|| first_example(row))
}

/// Returns the country's pattern, which must match the whole post code, and an example that matches it.
pub fn rule(country: CountryCode) -> Option<(&'static str, &'static str)> {
    find(country).map(|(_, row)| (row.1, first_example(row)))
}

/// Returns whether an address in this country needs a post code.
pub fn is_required(country: CountryCode) -> bool {
    REQUIRED.binary_search(&country.as_str()).is_ok()
}

fn find(country: CountryCode) -> Option<(usize, &'static Row)> {
    let at = ROWS.binary_search_by(|row| row.0.cmp(country.as_str())).ok()?;
    ROWS.get(at).map(|row| (at, row))
}

fn first_example(row: &Row) -> &'static str {
    row.2.split_once(',').map_or(row.2, |(first, _)| first)
}

/// Compiles a pattern, anchored at both ends. The source means the whole post code, and some patterns are
/// alternatives, which a bare `^` and `$` would not enclose.
fn compiled(at: usize, row: &Row) -> Option<&'static Regex> {
    COMPILED.get(at)?.get_or_init(|| Regex::new(&format!("^(?:{})$", row.1)).ok()).as_ref()
}

/// Returns the text in upper case with single spaces. Only ASCII letters change: no post code has others, and the
/// upper case of some other letters has a different length.
fn tidy(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    for word in raw.split_whitespace() {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
    text.make_ascii_uppercase();
    text
}

/// Returns the matching text with the country's separator, or `None` if no such text matches.
fn join(regex: &Regex, joint: Joint, mut text: String) -> Option<String> {
    let (mark, other) = match joint {
        Whole => return regex.is_match(&text).then_some(text),
        Omitted => return regex.is_match(&text).then(|| text.replace(' ', "")),
        Space => (' ', '-'),
        Hyphen => ('-', ' '),
    };
    if text.contains(other) {
        text = text.chars().map(|c| if c == other { mark } else { c }).collect();
    }
    // If the text has the separator, it is in the right position or the text is wrong.
    if text.contains(mark) {
        return regex.is_match(&text).then_some(text);
    }
    // Only the pattern defines the position of the separator, so each position is tried, from the end, where most
    // countries have it.
    for at in (1..text.len()).rev() {
        text.insert(at, mark);
        if regex.is_match(&text) {
            return Some(text);
        }
        text.remove(at);
    }
    // The rest are codes without a second part, such as the five digits of the United States.
    regex.is_match(&text).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::{Joint, LONGEST, REQUIRED, ROWS, compiled, is_required, normalise, rule};
    use crate::places::country::{CODES, CountryCode};
    use proptest::prelude::*;

    fn country(code: &str) -> CountryCode {
        CountryCode::parse(code).unwrap()
    }

    #[test]
    fn the_table_is_sorted_and_names_known_countries() {
        assert!(ROWS.is_sorted_by(|a, b| a.0 < b.0));
        assert!(ROWS.iter().all(|row| CountryCode::parse(row.0).is_some()));
    }

    #[test]
    fn every_pattern_compiles() {
        for (at, row) in ROWS.iter().enumerate() {
            assert!(compiled(at, row).is_some(), "{}: {}", row.0, row.1);
        }
    }

    #[test]
    fn every_example_normalises_to_itself() {
        for row in &ROWS {
            for example in row.2.split(',') {
                assert!(example.len() <= LONGEST);
                assert_eq!(normalise(country(row.0), example).as_deref(), Ok(example), "{}", row.0);
            }
        }
    }

    #[test]
    fn every_example_is_found_again_without_its_separator() {
        for row in ROWS.iter().filter(|row| row.3 != Joint::Whole) {
            for example in row.2.split(',') {
                let bare = example.replace([' ', '-'], "").to_lowercase();
                assert_eq!(normalise(country(row.0), &bare).as_deref(), Ok(example), "{}", row.0);
            }
        }
    }

    #[test]
    fn no_code_has_two_places_for_its_separator() {
        // The search takes the first position that matches. A second matching position would make the result
        // ambiguous.
        for (at, row) in ROWS.iter().enumerate() {
            let mark = if row.3 == Joint::Hyphen { '-' } else { ' ' };
            for example in row.2.split(',') {
                let bare = example.replace([' ', '-'], "");
                let places = (1..bare.len()).filter(|&place| {
                    let mut text = bare.clone();
                    text.insert(place, mark);
                    compiled(at, row).is_some_and(|regex| regex.is_match(&text))
                });
                assert!(places.count() <= 1, "{}: {example}", row.0);
            }
        }
    }

    #[test]
    fn spellings_are_brought_to_one() {
        for (code, raw, kept) in [
            ("GB", "sw1a1aa", "SW1A 1AA"),
            ("GB", "  sw1a \t\u{a0} 1aa\n", "SW1A 1AA"),
            ("GB", "SW1A-1AA", "SW1A 1AA"),
            ("GB", "m25bq", "M2 5BQ"),
            ("GB", "bfpo61", "BFPO 61"),
            ("GG", "gy11aa", "GY1 1AA"),
            ("JE", "je11aa", "JE1 1AA"),
            ("IM", "im991ps", "IM99 1PS"),
            ("CA", "k1a0b1", "K1A 0B1"),
            ("CA", "K1A-0B1", "K1A 0B1"),
            ("NL", "1234ab", "1234 AB"),
            ("SE", "11455", "114 55"),
            ("IE", "a65f4e2", "A65 F4E2"),
            ("MT", "vct1753", "VCT 1753"),
            ("GI", "gx111aa", "GX11 1AA"),
            ("PE", "lima23", "LIMA 23"),
            ("OM", "pc133", "PC 133"),
            ("JP", "1540023", "154-0023"),
            ("JP", "154 0023", "154-0023"),
            ("PL", "00950", "00-950"),
            ("PT", "2725079", "2725-079"),
            ("BR", "40301110", "40301-110"),
            ("LV", "lv1073", "LV-1073"),
            ("US", "95014", "95014"),
            ("US", "22162 1010", "22162-1010"),
            ("US", "221621010", "22162-1010"),
            ("FR", "33 380", "33380"),
            ("BN", "bt 2328", "BT2328"),
        ] {
            assert_eq!(normalise(country(code), raw).as_deref(), Ok(kept), "{code} {raw:?}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_with_an_example() {
        for (code, raw, example) in [
            ("DE", "", "26133"),
            ("DE", "1234", "26133"),
            ("DE", "123456", "26133"),
            ("DE", "X26133", "26133"),
            ("DE", "٢٦١٣٣", "26133"),
            ("BH", "317 317", "317"),
            ("LI", "94901", "9496"),
            ("US", "2216-21010", "95014"),
            ("GB", "SW1 A1AA", "EC1Y 8SY"),
            ("GB", "ZZ1 1AA", "EC1Y 8SY"),
            ("GB", "sbx-late", "EC1Y 8SY"),
            ("JP", "154--0023", "154-0023"),
        ] {
            assert_eq!(normalise(country(code), raw), Err(example), "{code} {raw:?}");
        }
        assert_eq!(normalise(country("US"), &"1".repeat(1_000_000)), Err("95014"));
    }

    #[test]
    fn a_country_without_a_pattern_refuses_nothing() {
        assert_eq!(rule(country("HK")), None);
        for (raw, kept) in [("", ""), (" 999  077 ", "999 077"), ("abc-ü", "ABC-ü")] {
            assert_eq!(normalise(country("HK"), raw).as_deref(), Ok(kept));
        }
    }

    #[test]
    fn words_of_the_sandbox_are_no_post_codes() {
        for row in &ROWS {
            assert!(normalise(country(row.0), "SBX-LABEL-LATE").is_err(), "{}", row.0);
        }
    }

    #[test]
    fn a_post_code_is_required_where_the_country_uses_one() {
        assert!(REQUIRED.is_sorted_by(|a, b| a < b));
        for code in REQUIRED {
            assert!(rule(country(code)).is_some(), "{code} has a pattern, so an example can be shown");
        }
        for (code, is_needed) in [("GB", true), ("US", true), ("IE", false), ("HK", false), ("AE", false)] {
            assert_eq!(is_required(country(code)), is_needed, "{code}");
        }
    }

    #[test]
    fn a_rule_is_the_pattern_and_the_first_example() {
        assert_eq!(rule(country("AD")), Some((r"AD[1-7]0\d", "AD100")));
        assert_eq!(rule(country("SE")), Some((r"\d{3} ?\d{2}", "114 55")));
        assert_eq!(rule(country("VA")), Some(("00120", "00120")));
    }

    fn any_country() -> impl Strategy<Value = CountryCode> {
        prop::sample::select(CODES).prop_map(country)
    }

    /// A country with a pattern, and a text made from one of its examples with other digits, case and separators.
    /// Random text would hardly ever be accepted.
    fn near_a_code() -> impl Strategy<Value = (CountryCode, String)> {
        let example = prop::sample::select(&ROWS[..]).prop_flat_map(|row| {
            let examples: Vec<_> = row.2.split(',').collect();
            (Just(country(row.0)), prop::sample::select(examples))
        });
        (example, prop::collection::vec(0u8..10, LONGEST), any::<bool>(), "| |-|  ").prop_map(
            |((country, example), digits, lower, separator)| {
                let mut text = String::new();
                for (c, digit) in example.chars().zip(digits) {
                    match c {
                        '0'..='9' => text.push(char::from(b'0' + digit)),
                        ' ' | '-' => text.push_str(&separator),
                        _ if lower => text.push(c.to_ascii_lowercase()),
                        _ => text.push(c),
                    }
                }
                (country, text)
            },
        )
    }

    proptest! {
        #[test]
        fn normalising_again_changes_nothing((country, raw) in near_a_code()) {
            if let Ok(kept) = normalise(country, &raw) {
                prop_assert_eq!(normalise(country, &kept), Ok(kept));
            }
        }

        #[test]
        fn any_text_is_stable_or_refused_by_a_rule(country in any_country(), raw in "\\PC{0,20}") {
            match normalise(country, &raw) {
                Ok(kept) => prop_assert_eq!(normalise(country, &kept), Ok(kept)),
                Err(example) => prop_assert_eq!(rule(country).map(|(_, example)| example), Some(example)),
            }
        }
    }
}
