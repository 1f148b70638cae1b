//! Provinces: checked against their country's list and replaced by its code, because carriers sort and tax by that
//! code.
//!
//! Only countries whose addresses contain a generally accepted code have a list. In other countries a province is
//! free text, because a wrong rejection would stop a parcel that could be delivered.

use crate::places::country::CountryCode;
use crate::platform::nearest::nearest;

/// A province: its code, its name, and other common names, separated by commas.
type Province = (&'static str, &'static str, &'static str);

/// The provinces of a country, and whether an address there must name one.
struct List {
    country: &'static str,
    is_required: bool,
    provinces: &'static [Province],
}

/// Codes and names follow ISO 3166-2. The United States also have the codes that only their postal service uses.
static LISTS: [List; 6] = [
    List { country: "AU", is_required: true, provinces: AUSTRALIA },
    List { country: "BR", is_required: false, provinces: BRAZIL },
    List { country: "CA", is_required: true, provinces: CANADA },
    List { country: "IN", is_required: false, provinces: INDIA },
    List { country: "IT", is_required: false, provinces: ITALY },
    List { country: "US", is_required: true, provinces: UNITED_STATES },
];

/// The reason why a province is rejected.
#[derive(Debug, PartialEq, Eq)]
pub struct Unknown {
    /// A sentence with the allowed codes, and the nearest one if there is one.
    pub message: String,
}

/// Returns the code of a province given as a code or a name in any spelling, or the text itself if the country has no
/// list.
pub fn normalise(country: CountryCode, given: &str) -> Result<String, Unknown> {
    let Some(list) = list_of(country) else { return Ok(given.to_owned()) };
    let trimmed = given.trim();
    // ISO 3166-2 writes `US-CA`.
    let bare = trimmed.split_once('-').filter(|(first, _)| first.eq_ignore_ascii_case(list.country));
    let wanted = fold(bare.map_or(trimmed, |(_, code)| code));
    let names = |(code, name, others): &Province| {
        [*code, *name].into_iter().chain(others.split(',')).any(|known| fold(known) == wanted)
    };
    // A name in a non-Latin script cannot be compared with the list.
    if !wanted.is_ascii() && !list.is_required {
        return Ok(trimmed.to_owned());
    }
    match list.provinces.iter().find(|province| !wanted.is_empty() && names(province)) {
        Some((code, _, _)) => Ok((*code).to_owned()),
        None => Err(Unknown { message: list.refusal(&wanted) }),
    }
}

/// Returns whether an address in this country must name its province.
pub fn is_required(country: CountryCode) -> bool {
    list_of(country).is_some_and(|list| list.is_required)
}

/// Returns the codes of a country's provinces. Empty if the country has no list.
pub fn codes(country: CountryCode) -> Vec<&'static str> {
    let list = list_of(country).map(|list| list.provinces).unwrap_or_default();
    list.iter().map(|(code, _, _)| *code).collect()
}

fn list_of(country: CountryCode) -> Option<&'static List> {
    LISTS.iter().find(|list| list.country == country.as_str())
}

impl List {
    fn refusal(&self, wanted: &str) -> String {
        let allowed: Vec<_> = self.provinces.iter().map(|(code, _, _)| *code).collect();
        let names: Vec<String> = self.provinces.iter().map(|(_, name, _)| fold(name)).collect();
        let nearest = nearest(wanted, names.iter().map(String::as_str));
        let meant = names.iter().zip(self.provinces).find(|(name, _)| Some(name.as_str()) == nearest);
        let hint = meant.map(|(_, (code, name, _))| format!(" Did you mean {code} ({name})?"));
        format!(
            "Is no province or state of {}.{} Use one of {}.",
            self.country,
            hint.unwrap_or_default(),
            allowed.join(", ")
        )
    }
}

/// Returns the letters and digits of a text, in lower case and without accents.
fn fold(text: &str) -> String {
    let plain = |char: char| match char {
        'à'..='å' => 'a',
        'ç' => 'c',
        'è'..='ë' => 'e',
        'ì'..='ï' => 'i',
        'ñ' => 'n',
        'ò'..='ö' => 'o',
        'ù'..='ü' => 'u',
        other => other,
    };
    text.chars().flat_map(char::to_lowercase).map(plain).filter(|char| char.is_alphanumeric()).collect()
}

static AUSTRALIA: &[Province] = &[
    ("ACT", "Australian Capital Territory", "Canberra"),
    ("JBT", "Jervis Bay Territory", ""),
    ("NSW", "New South Wales", ""),
    ("NT", "Northern Territory", ""),
    ("QLD", "Queensland", ""),
    ("SA", "South Australia", ""),
    ("TAS", "Tasmania", ""),
    ("VIC", "Victoria", ""),
    ("WA", "Western Australia", ""),
];

static BRAZIL: &[Province] = &[
    ("AC", "Acre", ""),
    ("AL", "Alagoas", ""),
    ("AM", "Amazonas", ""),
    ("AP", "Amapá", ""),
    ("BA", "Bahia", ""),
    ("CE", "Ceará", ""),
    ("DF", "Distrito Federal", "Federal District"),
    ("ES", "Espírito Santo", ""),
    ("GO", "Goiás", ""),
    ("MA", "Maranhão", ""),
    ("MG", "Minas Gerais", ""),
    ("MS", "Mato Grosso do Sul", ""),
    ("MT", "Mato Grosso", ""),
    ("PA", "Pará", ""),
    ("PB", "Paraíba", ""),
    ("PE", "Pernambuco", ""),
    ("PI", "Piauí", ""),
    ("PR", "Paraná", ""),
    ("RJ", "Rio de Janeiro", ""),
    ("RN", "Rio Grande do Norte", ""),
    ("RO", "Rondônia", ""),
    ("RR", "Roraima", ""),
    ("RS", "Rio Grande do Sul", ""),
    ("SC", "Santa Catarina", ""),
    ("SE", "Sergipe", ""),
    ("SP", "São Paulo", ""),
    ("TO", "Tocantins", ""),
];

static CANADA: &[Province] = &[
    ("AB", "Alberta", ""),
    ("BC", "British Columbia", "Colombie-Britannique"),
    ("MB", "Manitoba", ""),
    ("NB", "New Brunswick", "Nouveau-Brunswick"),
    (
        "NL",
        "Newfoundland and Labrador",
        "Newfoundland & Labrador, Newfoundland, Labrador, NF, Terre-Neuve-et-Labrador",
    ),
    ("NS", "Nova Scotia", "Nouvelle-Écosse"),
    ("NT", "Northwest Territories", "Territoires du Nord-Ouest"),
    ("NU", "Nunavut", ""),
    ("ON", "Ontario", ""),
    ("PE", "Prince Edward Island", "PEI, Île-du-Prince-Édouard"),
    ("QC", "Quebec", "PQ"),
    ("SK", "Saskatchewan", ""),
    ("YT", "Yukon", "Yukon Territory"),
];

static INDIA: &[Province] = &[
    ("AN", "Andaman and Nicobar Islands", "Andaman & Nicobar Islands, Andaman and Nicobar"),
    ("AP", "Andhra Pradesh", ""),
    ("AR", "Arunachal Pradesh", ""),
    ("AS", "Assam", ""),
    ("BR", "Bihar", ""),
    ("CG", "Chhattisgarh", "CT"),
    ("CH", "Chandigarh", ""),
    ("DH", "Dadra and Nagar Haveli and Daman and Diu", "Dadra and Nagar Haveli, Daman and Diu, DN, DD"),
    ("DL", "Delhi", "New Delhi, NCT of Delhi"),
    ("GA", "Goa", ""),
    ("GJ", "Gujarat", ""),
    ("HP", "Himachal Pradesh", ""),
    ("HR", "Haryana", ""),
    ("JH", "Jharkhand", ""),
    ("JK", "Jammu and Kashmir", "Jammu & Kashmir"),
    ("KA", "Karnataka", ""),
    ("KL", "Kerala", ""),
    ("LA", "Ladakh", ""),
    ("LD", "Lakshadweep", ""),
    ("MH", "Maharashtra", ""),
    ("ML", "Meghalaya", ""),
    ("MN", "Manipur", ""),
    ("MP", "Madhya Pradesh", ""),
    ("MZ", "Mizoram", ""),
    ("NL", "Nagaland", ""),
    ("OD", "Odisha", "Orissa, OR"),
    ("PB", "Punjab", ""),
    ("PY", "Puducherry", "Pondicherry"),
    ("RJ", "Rajasthan", ""),
    ("SK", "Sikkim", ""),
    ("TN", "Tamil Nadu", ""),
    ("TR", "Tripura", ""),
    ("TS", "Telangana", "TG"),
    ("UK", "Uttarakhand", "Uttaranchal, UT"),
    ("UP", "Uttar Pradesh", ""),
    ("WB", "West Bengal", ""),
];

/// The current provinces, and the merged ones of Sardinia, which old address books still contain.
static ITALY: &[Province] = &[
    ("AG", "Agrigento", ""),
    ("AL", "Alessandria", ""),
    ("AN", "Ancona", ""),
    ("AO", "Aosta", "Valle d'Aosta, Vallée d'Aoste"),
    ("AP", "Ascoli Piceno", ""),
    ("AQ", "L'Aquila", ""),
    ("AR", "Arezzo", ""),
    ("AT", "Asti", ""),
    ("AV", "Avellino", ""),
    ("BA", "Bari", ""),
    ("BG", "Bergamo", ""),
    ("BI", "Biella", ""),
    ("BL", "Belluno", ""),
    ("BN", "Benevento", ""),
    ("BO", "Bologna", ""),
    ("BR", "Brindisi", ""),
    ("BS", "Brescia", ""),
    ("BT", "Barletta-Andria-Trani", ""),
    ("BZ", "Bolzano", "Bozen, Alto Adige, Südtirol"),
    ("CA", "Cagliari", ""),
    ("CB", "Campobasso", ""),
    ("CE", "Caserta", ""),
    ("CH", "Chieti", ""),
    ("CI", "Carbonia-Iglesias", ""),
    ("CL", "Caltanissetta", ""),
    ("CN", "Cuneo", ""),
    ("CO", "Como", ""),
    ("CR", "Cremona", ""),
    ("CS", "Cosenza", ""),
    ("CT", "Catania", ""),
    ("CZ", "Catanzaro", ""),
    ("EN", "Enna", ""),
    ("FC", "Forlì-Cesena", "FO"),
    ("FE", "Ferrara", ""),
    ("FG", "Foggia", ""),
    ("FI", "Firenze", "Florence"),
    ("FM", "Fermo", ""),
    ("FR", "Frosinone", ""),
    ("GE", "Genova", "Genoa"),
    ("GO", "Gorizia", ""),
    ("GR", "Grosseto", ""),
    ("IM", "Imperia", ""),
    ("IS", "Isernia", ""),
    ("KR", "Crotone", ""),
    ("LC", "Lecco", ""),
    ("LE", "Lecce", ""),
    ("LI", "Livorno", ""),
    ("LO", "Lodi", ""),
    ("LT", "Latina", ""),
    ("LU", "Lucca", ""),
    ("MB", "Monza e Brianza", "Monza e della Brianza, Monza-Brianza, Monza and Brianza"),
    ("MC", "Macerata", ""),
    ("ME", "Messina", ""),
    ("MI", "Milano", "Milan"),
    ("MN", "Mantova", "Mantua"),
    ("MO", "Modena", ""),
    ("MS", "Massa-Carrara", ""),
    ("MT", "Matera", ""),
    ("NA", "Napoli", "Naples"),
    ("NO", "Novara", ""),
    ("NU", "Nuoro", ""),
    ("OG", "Ogliastra", ""),
    ("OR", "Oristano", ""),
    ("OT", "Olbia-Tempio", ""),
    ("PA", "Palermo", ""),
    ("PC", "Piacenza", ""),
    ("PD", "Padova", "Padua"),
    ("PE", "Pescara", ""),
    ("PG", "Perugia", ""),
    ("PI", "Pisa", ""),
    ("PN", "Pordenone", ""),
    ("PO", "Prato", ""),
    ("PR", "Parma", ""),
    ("PT", "Pistoia", ""),
    ("PU", "Pesaro e Urbino", "Pesaro-Urbino, Pesaro and Urbino, PS"),
    ("PV", "Pavia", ""),
    ("PZ", "Potenza", ""),
    ("RA", "Ravenna", ""),
    ("RC", "Reggio Calabria", "Reggio di Calabria"),
    ("RE", "Reggio Emilia", "Reggio nell'Emilia"),
    ("RG", "Ragusa", ""),
    ("RI", "Rieti", ""),
    ("RM", "Roma", "Rome"),
    ("RN", "Rimini", ""),
    ("RO", "Rovigo", ""),
    ("SA", "Salerno", ""),
    ("SI", "Siena", ""),
    ("SO", "Sondrio", ""),
    ("SP", "La Spezia", ""),
    ("SR", "Siracusa", "Syracuse"),
    ("SS", "Sassari", ""),
    ("SU", "Sud Sardegna", "South Sardinia"),
    ("SV", "Savona", ""),
    ("TA", "Taranto", ""),
    ("TE", "Teramo", ""),
    ("TN", "Trento", "Trentino"),
    ("TO", "Torino", "Turin"),
    ("TP", "Trapani", ""),
    ("TR", "Terni", ""),
    ("TS", "Trieste", ""),
    ("TV", "Treviso", ""),
    ("UD", "Udine", ""),
    ("VA", "Varese", ""),
    ("VB", "Verbano-Cusio-Ossola", "VCO"),
    ("VC", "Vercelli", ""),
    ("VE", "Venezia", "Venice"),
    ("VI", "Vicenza", ""),
    ("VR", "Verona", ""),
    ("VS", "Medio Campidano", ""),
    ("VT", "Viterbo", ""),
    ("VV", "Vibo Valentia", ""),
];

static UNITED_STATES: &[Province] = &[
    ("AA", "Armed Forces Americas", ""),
    ("AE", "Armed Forces Europe", ""),
    ("AK", "Alaska", ""),
    ("AL", "Alabama", ""),
    ("AP", "Armed Forces Pacific", ""),
    ("AR", "Arkansas", ""),
    ("AS", "American Samoa", ""),
    ("AZ", "Arizona", ""),
    ("CA", "California", "Calif."),
    ("CO", "Colorado", ""),
    ("CT", "Connecticut", ""),
    ("DC", "District of Columbia", "Washington DC"),
    ("DE", "Delaware", ""),
    ("FL", "Florida", ""),
    ("FM", "Federated States of Micronesia", "Micronesia"),
    ("GA", "Georgia", ""),
    ("GU", "Guam", ""),
    ("HI", "Hawaii", ""),
    ("IA", "Iowa", ""),
    ("ID", "Idaho", ""),
    ("IL", "Illinois", ""),
    ("IN", "Indiana", ""),
    ("KS", "Kansas", ""),
    ("KY", "Kentucky", ""),
    ("LA", "Louisiana", ""),
    ("MA", "Massachusetts", ""),
    ("MD", "Maryland", ""),
    ("ME", "Maine", ""),
    ("MH", "Marshall Islands", ""),
    ("MI", "Michigan", ""),
    ("MN", "Minnesota", ""),
    ("MO", "Missouri", ""),
    ("MP", "Northern Mariana Islands", ""),
    ("MS", "Mississippi", ""),
    ("MT", "Montana", ""),
    ("NC", "North Carolina", ""),
    ("ND", "North Dakota", ""),
    ("NE", "Nebraska", ""),
    ("NH", "New Hampshire", ""),
    ("NJ", "New Jersey", ""),
    ("NM", "New Mexico", ""),
    ("NV", "Nevada", ""),
    ("NY", "New York", ""),
    ("OH", "Ohio", ""),
    ("OK", "Oklahoma", ""),
    ("OR", "Oregon", ""),
    ("PA", "Pennsylvania", ""),
    ("PR", "Puerto Rico", ""),
    ("PW", "Palau", ""),
    ("RI", "Rhode Island", ""),
    ("SC", "South Carolina", ""),
    ("SD", "South Dakota", ""),
    ("TN", "Tennessee", ""),
    ("TX", "Texas", ""),
    ("UM", "United States Minor Outlying Islands", ""),
    ("UT", "Utah", ""),
    ("VA", "Virginia", ""),
    ("VI", "Virgin Islands", "U.S. Virgin Islands, US Virgin Islands"),
    ("VT", "Vermont", ""),
    ("WA", "Washington", "Washington State"),
    ("WI", "Wisconsin", ""),
    ("WV", "West Virginia", ""),
    ("WY", "Wyoming", ""),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn country(code: &str) -> CountryCode {
        CountryCode::parse(code).unwrap()
    }

    #[test]
    fn a_name_in_another_script_is_kept_where_none_is_required() {
        assert_eq!(normalise(country("IN"), " महाराष्ट्र ").unwrap(), "महाराष्ट्र");
        assert!(normalise(country("IN"), "Maharashtrx").is_err());
        assert!(normalise(country("US"), "加州").is_err());
    }

    #[test]
    fn every_code_and_name_is_found_and_none_means_two_provinces() {
        for list in &LISTS {
            let mut known = BTreeSet::new();
            assert!(list.provinces.is_sorted_by(|a, b| a.0 < b.0), "{}", list.country);
            for (code, name, others) in list.provinces {
                let all = [*code, *name].into_iter().chain(others.split(',').map(str::trim));
                let spellings: BTreeSet<_> = all.map(fold).filter(|text| !text.is_empty()).collect();
                for spelling in spellings {
                    assert_eq!(normalise(country(list.country), &spelling).as_deref(), Ok(*code));
                    assert!(known.insert(spelling.clone()), "{} {spelling}", list.country);
                }
            }
        }
    }

    #[test]
    fn spellings_are_brought_to_the_code() {
        for (code, given, kept) in [
            ("US", "ca", "CA"),
            ("US", " California ", "CA"),
            ("US", "US-CA", "CA"),
            ("US", "D.C.", "DC"),
            ("CA", "Québec", "QC"),
            ("CA", "prince edward island", "PE"),
            ("AU", "New South Wales", "NSW"),
            ("BR", "sao paulo", "SP"),
            ("IT", "Forli Cesena", "FC"),
            ("IT", "L’Aquila", "AQ"),
            ("GB", "Avon", "Avon"),
            ("JP", "東京都", "東京都"),
        ] {
            assert_eq!(normalise(country(code), given).as_deref(), Ok(kept), "{code} {given}");
        }
    }

    #[test]
    fn a_refusal_names_the_nearest_province_and_all_that_are_allowed() {
        let refused = |code: &str, given: &str| normalise(country(code), given).unwrap_err().message;
        let message = refused("US", "Californa");
        assert!(message.contains("Did you mean CA (California)?"), "{message}");
        assert!(message.ends_with("WV, WY."), "{message}");
        assert!(!refused("US", "Bavaria").contains("Did you mean"));
        assert!(refused("AU", "CA").contains("ACT, JBT, NSW, NT, QLD, SA, TAS, VIC, WA."));
        // A text of punctuation only is not a province.
        assert!(normalise(country("US"), "--").is_err());
    }

    #[test]
    fn only_some_countries_need_one() {
        for (code, is_needed) in [("US", true), ("CA", true), ("AU", true), ("IT", false), ("GB", false)] {
            assert_eq!(is_required(country(code)), is_needed, "{code}");
        }
        assert_eq!(codes(country("CA")).len(), 13);
        assert!(codes(country("GB")).is_empty());
    }
}
