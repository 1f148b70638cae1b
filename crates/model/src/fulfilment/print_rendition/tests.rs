//! Which file a printer gets of which document.

use serde_json::json;

use super::*;
use crate::platform::shape::parse;

const PDF: &str = "application/pdf";
const ZPL: &str = "application/zpl";
const PNG: &str = "image/png";
const SINGLE: Source = Source::Drawn { is_single: true };
const SEVERAL: Source = Source::Drawn { is_single: false };

fn printer(formats: &[&str], dpi: u32) -> PrinterInput {
    parse(json!({"name": "Bench", "kind": "raw", "address": "127.0.0.1", "formats": formats, "dpi": dpi}))
        .unwrap()
}

/// Returns the format, its resolution, and whether it is made anew; or the kind of refusal.
fn chosen(media_type: &str, source: Source, formats: &[&str], dpi: u32) -> String {
    let document = Printable { media_type: media_type.to_owned(), source };
    match Rendition::choose(&document, &printer(formats, dpi)) {
        Ok(Rendition { format, dpi: None, is_converted: false }) => format!("{} as it is", format.as_str()),
        Ok(Rendition { format, dpi: None, is_converted: true }) => format.as_str().to_owned(),
        Ok(Rendition { format, dpi: Some(dpi), .. }) => format!("{} at {dpi}", format.as_str()),
        Err(Unprintable::Format(_)) => "format".to_owned(),
        Err(Unprintable::Dpi(_)) => "dpi".to_owned(),
    }
}

#[test]
fn what_the_printer_takes_is_sent_as_it_is() {
    for (media_type, format) in [(PDF, "pdf"), (ZPL, "zpl"), (PNG, "png")] {
        for source in [SINGLE, SEVERAL, Source::Given] {
            assert_eq!(chosen(media_type, source, &["pdf", "zpl", "png"], 203), format!("{format} as it is"));
        }
    }
    assert_eq!(chosen(PDF, Source::Given, &["pdf"], 2400), "pdf as it is", "a PDF has no resolution");
}

#[test]
fn what_dockside_drew_is_drawn_for_the_printer() {
    for dpi in [300, 600, 1200] {
        assert_eq!(chosen(ZPL, SINGLE, &["zpl"], dpi), format!("zpl at {dpi}"));
        assert_eq!(
            chosen(PNG, SINGLE, &["pdf", "png"], dpi),
            format!("png at {dpi}"),
            "its own format first"
        );
        assert_eq!(chosen(PDF, SEVERAL, &["png", "zpl"], dpi), format!("zpl at {dpi}"));
    }
    assert_eq!(chosen(PDF, SINGLE, &["zpl"], 203), "zpl at 203");
    assert_eq!(chosen(PDF, SINGLE, &["png", "zpl"], 203), "png at 203", "the first of the printer's formats");
    assert_eq!(chosen(ZPL, SINGLE, &["pdf"], 600), "pdf");
    assert_eq!(chosen(PDF, SEVERAL, &["png"], 203), "format", "several pages are no picture");
}

#[test]
fn a_carriers_picture_is_scaled_and_nothing_else_of_it() {
    assert_eq!(chosen(PNG, Source::Given, &["png"], 300), "png at 300");
    assert_eq!(chosen(PNG, Source::Given, &["zpl"], 203), "zpl at 203");
    assert_eq!(chosen(PNG, Source::Given, &["pdf"], 203), "pdf");
    assert_eq!(chosen(ZPL, Source::Given, &["zpl"], 300), "dpi");
    assert_eq!(chosen(ZPL, Source::Given, &["zpl", "pdf"], 300), "dpi");
    assert_eq!(chosen(ZPL, Source::Given, &["pdf"], 203), "format");
    assert_eq!(chosen(PDF, Source::Given, &["zpl", "png"], 203), "format");
    assert_eq!(chosen("application/zip", Source::Given, &["zpl", "png"], 203), "format");
}

#[test]
fn no_dots_are_made_for_resolutions_that_are_too_coarse_or_too_fine() {
    for dpi in [150, 2400] {
        assert_eq!(chosen(ZPL, SINGLE, &["zpl"], dpi), "dpi");
        assert_eq!(chosen(PDF, SINGLE, &["zpl", "png"], dpi), "dpi");
        assert_eq!(chosen(ZPL, SINGLE, &["zpl", "pdf"], dpi), "pdf");
        assert_eq!(chosen(PNG, Source::Given, &["png"], dpi), "png as it is", "a PNG says how large it is");
    }
}

#[test]
fn pwg_raster_is_made_of_all_but_carriers_pdf_and_zpl() {
    for (media_type, source) in
        [(ZPL, SINGLE), (PDF, SEVERAL), (PNG, SINGLE), (PNG, Source::Given), (PDF, Source::Paper)]
    {
        assert_eq!(chosen(media_type, source, &["pwg"], 600), "pwg at 600", "{media_type} {source:?}");
        assert_eq!(chosen(media_type, source, &["pwg"], 203), "pwg at 203", "{media_type} {source:?}");
        assert_eq!(chosen(media_type, source, &["pwg"], 2400), "dpi", "{media_type} {source:?}");
    }
    for media_type in [PDF, ZPL] {
        assert_eq!(chosen(media_type, Source::Given, &["pwg"], 600), "format", "{media_type}");
    }
    assert_eq!(chosen(PDF, Source::Paper, &["pwg", "pdf"], 600), "pdf as it is");
    assert_eq!(chosen(PDF, Source::Paper, &["zpl", "png"], 203), "format", "a sheet is no label");
    assert_eq!(chosen(PDF, Source::Paper, &["zpl", "png"], 2400), "format");
}
