//! The formats in which carriers deliver labels and forms. [`LabelFormat`] is what users ask for.

use model::shipping::shipment::options::LabelFormat;

/// A format in which a carrier delivers a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileFormat {
    Png,
    Pdf,
    Zpl,
    Gif,
}

impl FileFormat {
    pub const ALL: [FileFormat; 4] = [FileFormat::Png, FileFormat::Pdf, FileFormat::Zpl, FileFormat::Gif];

    /// Returns the word for the format, which is also the ending of its files.
    pub fn as_str(self) -> &'static str {
        match self {
            FileFormat::Png => "png",
            FileFormat::Pdf => "pdf",
            FileFormat::Zpl => "zpl",
            FileFormat::Gif => "gif",
        }
    }

    /// Returns the media type of a file in this format.
    pub fn media_type(self) -> &'static str {
        match self.label_format() {
            Some(format) => format.media_type(),
            None => "image/gif",
        }
    }

    /// Returns the format as users name it; `None` if they can't ask for it.
    pub fn label_format(self) -> Option<LabelFormat> {
        match self {
            FileFormat::Png => Some(LabelFormat::Png),
            FileFormat::Pdf => Some(LabelFormat::Pdf),
            FileFormat::Zpl => Some(LabelFormat::Zpl),
            FileFormat::Gif => None,
        }
    }
}

impl From<LabelFormat> for FileFormat {
    fn from(format: LabelFormat) -> Self {
        match format {
            LabelFormat::Png => FileFormat::Png,
            LabelFormat::Pdf => FileFormat::Pdf,
            LabelFormat::Zpl => FileFormat::Zpl,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_users_ask_for_is_delivered_under_the_same_name() {
        for format in LabelFormat::ALL {
            let file = FileFormat::from(format);
            assert_eq!((file.as_str(), file.media_type()), (format.as_str(), format.media_type()));
            assert_eq!(file.label_format(), Some(format));
        }
        assert_eq!((FileFormat::Gif.as_str(), FileFormat::Gif.media_type()), ("gif", "image/gif"));
    }
}
