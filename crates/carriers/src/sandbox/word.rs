//! The words in an address that select a failure.

use model::shipping::shipment::ShipmentInput;

macro_rules! words {
    ($($variant:ident $word:literal $about:literal;)*) => {
        /// A failure that a word in the customer's address selects.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Word {
            $(#[doc = $about] $variant),*
        }

        impl Word {
            /// Every word, with its description.
            pub const ALL: &'static [(&'static str, Word, &'static str)] = &[$(($word, Word::$variant, $about)),*];
        }
    };
}

words! {
    RatesNone "SBX-RATES-NONE" "No account gives a rate.";
    RatesPartial "SBX-RATES-PARTIAL" "One account gives rates, and one an error.";
    RateExpired "SBX-RATE-EXPIRED" "Buying fails with `rate_expired` until it is rated again.";
    AddressInvalid "SBX-ADDRESS-INVALID" "Buying is rejected with `address_invalid`.";
    Declined "SBX-DECLINED" "Buying is rejected with `purchase_declined`.";
    Funds "SBX-FUNDS" "Buying is rejected with `insufficient_funds`.";
    Flaky "SBX-FLAKY-2" "Two answers of 503, and then success.";
    TooMany "SBX-429" "An answer of 429 with Retry-After, and then success.";
    Slow3 "SBX-SLOW-3" "Buying takes 3 seconds.";
    Slow20 "SBX-SLOW-20" "Buying takes 20 seconds.";
    LostBought "SBX-LOST-BOUGHT" "It is charged and the answer is lost; a look-up finds it.";
    LostNot "SBX-LOST-NOT" "It is not charged and the answer is lost; a look-up says so.";
    LostForever "SBX-LOST-FOREVER" "The answer is lost, and the look-up fails too.";
    Duplicate "SBX-DUP" "It is billed twice: one must be voided.";
    LabelLate "SBX-LABEL-LATE" "The label comes 5 seconds after the purchase.";
    LabelGif "SBX-LABEL-GIF" "The carrier gives labels of its own: a GIF for each package.";
    VoidRejected "SBX-VOID-REJECTED" "The refund is rejected.";
    ManifestFail "SBX-MANIFEST-FAIL" "Closing the day fails.";
    ManifestSlow "SBX-MANIFEST-SLOW" "A manifest stays `creating` for 10 seconds.";
    TrackDelivered "SBX-TRACK-DELIVERED" "It is delivered within about 30 seconds.";
    TrackException "SBX-TRACK-EXCEPTION" "Its delivery fails within about 30 seconds.";
    TrackReturned "SBX-TRACK-RETURNED" "It goes back to its sender within about 30 seconds.";
}

impl Word {
    /// Returns the word itself.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(_, word, _)| *word == self).map_or("", |(text, _, _)| text)
    }

    /// Returns the word in the customer's address: that of the destination, or of the sender of a return.
    pub fn of(shipment: &ShipmentInput) -> Option<Self> {
        shipment.carried_customer().sandbox_word().and_then(Self::parse)
    }

    /// Parses a word, in upper or lower case.
    pub fn parse(text: &str) -> Option<Self> {
        let is_it = |word: &str| text.trim().eq_ignore_ascii_case(word);
        Self::ALL.iter().find(|(word, _, _)| is_it(word)).map(|(_, word, _)| *word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_reads_back_and_begins_as_such_words_do() {
        for (text, word, about) in Word::ALL {
            assert_eq!((Word::parse(text), word.as_str()), (Some(*word), *text));
            assert!(model::places::sandbox_address::is_sandbox_word(text) && about.ends_with('.'), "{text}");
        }
        assert_eq!(Word::parse(" sbx-dup "), Some(Word::Duplicate));
        assert_eq!(Word::parse("SBX-NOTHING"), None);
        assert_eq!(Word::parse("BS1 4DJ"), None);
    }
}
