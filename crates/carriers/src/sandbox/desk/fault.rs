//! Faults that are injected at random. The same seed, reference and history give the same faults, so a run can be
//! repeated.

use sha2::{Digest, Sha256};

macro_rules! faults {
    ($($variant:ident $name:literal $about:literal;)*) => {
        /// A fault that is injected into a request.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Fault {
            $(#[doc = $about] $variant),*
        }

        impl Fault {
            /// Every fault, with its name and its description.
            pub const ALL: &'static [(&'static str, Fault, &'static str)] = &[$(($name, Fault::$variant, $about)),*];
        }
    };
}

faults! {
    Slow "slow" "The answer takes 3 seconds longer.";
    Rejected "rejected" "Buying is rejected with `purchase_declined`.";
    RatesUnavailable "rates-unavailable" "There are no rates.";
    LostBefore "lost-before" "Nothing is done, and the connection ends without an answer.";
    LostAfter "lost-after" "It is done, and the connection ends without an answer.";
    ErrorBefore "error-before" "Nothing is done, and the answer is 500.";
    ErrorAfter "error-after" "It is done, and the answer is 500.";
    Doubled "doubled" "It is charged twice, and the connection ends without an answer.";
}

/// The probability of each fault. Faults that are not named never happen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faults(Vec<(Fault, f64)>);

impl Faults {
    /// Sets the probability of a fault.
    pub fn with(mut self, fault: Fault, probability: f64) -> Self {
        self.0.retain(|(known, _)| *known != fault);
        self.0.push((fault, probability));
        self
    }

    /// Parses a command line argument such as `lost-after=0.1`. The error is a sentence.
    pub fn parse(text: &str) -> Result<(Fault, f64), String> {
        let (name, number) = text.split_once('=').unwrap_or((text, ""));
        let known = Fault::ALL.iter().find(|(known, _, _)| *known == name);
        let Some((_, fault, _)) = known else {
            let names: Vec<_> = Fault::ALL.iter().map(|(name, _, _)| *name).collect();
            return Err(format!("there is no fault {name:?}; there are {}", names.join(", ")));
        };
        let number = number.parse().ok().filter(|number| (0.0..=1.0).contains(number));
        let number =
            number.ok_or_else(|| format!("{name} needs a probability from 0 to 1, as in {name}=0.1"))?;
        Ok((*fault, number))
    }

    /// Returns whether this fault is injected into the request that follows `earlier` entries under its key.
    pub fn strikes(&self, fault: Fault, seed: u64, key: &str, earlier: usize) -> bool {
        let Some((_, probability)) = self.0.iter().find(|(known, _)| *known == fault) else { return false };
        let hash = Sha256::digest(format!("{seed} {key} {earlier} {fault:?}"));
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&hash[..8]);
        // 53 bits, which an f64 holds exactly: a number from 0 to just below 1.
        let drawn = (u64::from_be_bytes(bytes) >> 11) as f64 / (1u64 << 53) as f64;
        drawn < *probability
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_as_likely_as_they_are_said_to_be_and_repeat() {
        let count = |probability: f64, seed: u64| {
            let faults = Faults::default().with(Fault::Slow, 0.9).with(Fault::Slow, probability);
            (0..2000).filter(|place| faults.strikes(Fault::Slow, seed, "shp_1", *place)).count()
        };
        assert_eq!((count(0.0, 1), count(1.0, 1)), (0, 2000));
        assert!((450..550).contains(&count(0.25, 1)), "{}", count(0.25, 1));
        assert_eq!(count(0.25, 1), count(0.25, 1));
        let fates = |seed: u64| -> Vec<bool> {
            let faults = Faults::default().with(Fault::Slow, 0.5);
            (0..64).map(|place| faults.strikes(Fault::Slow, seed, "shp_1", place)).collect()
        };
        assert_ne!(fates(1), fates(2));
        assert!(!Faults::default().strikes(Fault::Slow, 1, "shp_1", 0));
    }

    #[test]
    fn a_fault_is_read_from_its_name_and_a_number() {
        for (name, fault, about) in Fault::ALL {
            assert_eq!(Faults::parse(&format!("{name}=0.5")), Ok((*fault, 0.5)));
            assert!(about.ends_with('.'));
        }
        for (text, word) in [
            ("slwo=1", "lost-after"),
            ("slow", "slow=0.1"),
            ("slow=2", "from 0 to 1"),
            ("slow=NaN", "from 0 to 1"),
            ("slow=-0.1", "from 0 to 1"),
        ] {
            let message = Faults::parse(text).unwrap_err();
            assert!(message.contains(word), "{message}");
        }
    }
}
