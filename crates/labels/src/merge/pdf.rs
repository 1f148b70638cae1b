//! Pages of many PDFs in one, ours and carriers'.
//!
//! Objects are copied children first, so that when one is written its references have their new numbers. What comes out
//! equal to something written before is not written again: the fonts of a thousand labels are in the file once.

use crate::merge::{MergeError, picture};
use crate::pdf_file::{Number, PdfFile, put};
use hayro_syntax::object::dict::keys;
use hayro_syntax::object::{Array, Dict, MaybeRef, ObjRef, Object, Rect, Stream};
use hayro_syntax::page::{Page, Rotation};
use hayro_syntax::{Filter, Pdf};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::io::Write as _;
use std::sync::Arc;

/// How deep objects may lie in each other. Pages of labels have about ten.
const DEPTH_MAX: usize = 64;
/// Objects that are remembered to be shared. Where each label has pictures of its own there is no end of them.
const SHARED_MAX: usize = 1 << 16;

/// What speaks of the file that a page comes from, and not of how the page looks.
const LEFT_OUT: [&[u8]; 10] = [
    keys::METADATA,
    keys::STRUCT_PARENT,
    keys::STRUCT_PARENTS,
    keys::OC,
    keys::AF,
    keys::PT_DATA,
    keys::REF,
    keys::LAST_MODIFIED,
    keys::PIECE_INFO,
    keys::OPI,
];

/// A merged PDF that is being written.
pub(super) struct PdfMerge {
    file: PdfFile,
    /// What was written, by a hash of its bytes.
    shared: HashMap<[u8; 16], Number>,
}

impl Default for PdfMerge {
    fn default() -> Self {
        Self { file: PdfFile::new(), shared: HashMap::new() }
    }
}

impl PdfMerge {
    /// Adds all pages of a PDF; a PNG becomes a page.
    pub fn add(&mut self, file: &[u8]) -> Result<Vec<u8>, MergeError> {
        if picture::is_png(file) {
            picture::add_page(&mut self.file, file)?;
            return Ok(self.file.take());
        }
        let pdf = Pdf::new(Arc::new(file.to_vec()))
            .map_err(|error| MergeError(format!("it is no PDF that can be read ({error:?})")))?;
        let mut copy =
            Copy { pdf: &pdf, file: &mut self.file, shared: &mut self.shared, seen: HashMap::new() };
        let pages = pdf.pages().iter().map(|page| copy.page(page)).collect::<Result<Vec<_>, _>>()?;
        if pages.is_empty() {
            return Err(MergeError("it has no pages".to_owned()));
        }
        pages.iter().for_each(|page| self.file.page(page));
        Ok(self.file.take())
    }

    pub fn finish(self) -> Vec<u8> {
        self.file.finish()
    }
}

/// How far an object of a file has come.
#[derive(Clone, Copy)]
enum Seen {
    /// It is being read. It has a number where something in it refers back to it.
    Begun(Option<Number>),
    Written(Number),
}

/// One file whose pages are copied.
struct Copy<'a> {
    pdf: &'a Pdf,
    file: &'a mut PdfFile,
    shared: &'a mut HashMap<[u8; 16], Number>,
    seen: HashMap<ObjRef, Seen>,
}

impl Copy<'_> {
    /// Copies what a page needs; gives the entries of its dictionary.
    fn page(&mut self, page: &Page<'_>) -> Result<Vec<u8>, MergeError> {
        let mut entries = Vec::new();
        rect(&mut entries, "MediaBox", &page.media_box());
        rect(&mut entries, "CropBox", &page.intersected_crop_box());
        match page.rotation() {
            Rotation::None => {}
            Rotation::Horizontal => put!(entries, "/Rotate 90"),
            Rotation::Flipped => put!(entries, "/Rotate 180"),
            Rotation::FlippedHorizontal => put!(entries, "/Rotate 270"),
        }
        for key in [keys::GROUP, keys::USER_UNIT] {
            if let Some(value) = page.raw().get_raw::<Object<'_>>(key) {
                name(&mut entries, key);
                self.value(&value, &mut entries, 0)?;
            }
        }
        put!(entries, "/Resources<<");
        let resources = page.resources();
        for (key, dict) in [
            (keys::EXT_G_STATE, &resources.ext_g_states),
            (keys::SHADING, &resources.shadings),
            (keys::PATTERN, &resources.patterns),
            (keys::XOBJECT, &resources.x_objects),
            (keys::COLORSPACE, &resources.color_spaces),
            (keys::FONT, &resources.fonts),
            (keys::PROPERTIES, &resources.properties),
        ] {
            if !dict.is_empty() {
                name(&mut entries, key);
                self.dict(dict, &[], &mut entries, 0)?;
            }
        }
        put!(entries, ">>/Contents[");
        for stream in contents(page) {
            let mut body = Vec::new();
            self.stream(&stream, &mut body, 0)?;
            // No two labels say the same, so there is nothing to share.
            let number = self.file.add(&body);
            put!(entries, "{number} 0 R ");
        }
        entries.push(b']');
        Ok(entries)
    }

    fn value(
        &mut self,
        value: &MaybeRef<Object<'_>>,
        out: &mut Vec<u8>,
        depth: usize,
    ) -> Result<(), MergeError> {
        match value {
            MaybeRef::NotRef(object) => self.object(object, out, depth),
            MaybeRef::Ref(target) => {
                match self.refer(*target, depth)? {
                    Some(number) => put!(out, " {number} 0 R"),
                    None => put!(out, " null"),
                }
                Ok(())
            }
        }
    }

    /// The new number of what is referred to, which is copied first; none where there is nothing.
    fn refer(&mut self, target: ObjRef, depth: usize) -> Result<Option<Number>, MergeError> {
        match self.seen.get(&target).copied() {
            Some(Seen::Written(number) | Seen::Begun(Some(number))) => return Ok(Some(number)),
            Some(Seen::Begun(None)) => {
                let number = self.file.number();
                self.seen.insert(target, Seen::Begun(Some(number)));
                return Ok(Some(number));
            }
            None => {}
        }
        let Some(object) = self.pdf.xref().get::<Object<'_>>(target.into()) else { return Ok(None) };
        self.seen.insert(target, Seen::Begun(None));
        let mut body = Vec::new();
        match &object {
            Object::Stream(stream) => self.stream(stream, &mut body, depth + 1)?,
            other => self.object(other, &mut body, depth + 1)?,
        }
        let number = match self.seen.get(&target) {
            Some(Seen::Begun(Some(number))) => {
                let number = *number;
                self.file.object(number, &body);
                number
            }
            _ => self.share(&body),
        };
        self.seen.insert(target, Seen::Written(number));
        Ok(Some(number))
    }

    /// Writes an object, unless the same was written before.
    fn share(&mut self, body: &[u8]) -> Number {
        let mut hash = [0; 16];
        hash.copy_from_slice(&Sha256::digest(body)[..16]);
        if let Some(number) = self.shared.get(&hash) {
            return *number;
        }
        let number = self.file.add(body);
        if self.shared.len() < SHARED_MAX {
            self.shared.insert(hash, number);
        }
        number
    }

    fn object(&mut self, object: &Object<'_>, out: &mut Vec<u8>, depth: usize) -> Result<(), MergeError> {
        if depth > DEPTH_MAX {
            return Err(MergeError(format!("its objects lie more than {DEPTH_MAX} deep in each other")));
        }
        match object {
            // A stream is never part of something else.
            Object::Null(_) | Object::Stream(_) => put!(out, " null"),
            Object::Boolean(value) => put!(out, " {value}"),
            Object::Number(number) => {
                let value = number.as_f64();
                // Rust writes no exponents, and neither does PDF.
                put!(out, " {value}");
            }
            Object::String(text) => {
                out.push(b'<');
                text.as_bytes().iter().for_each(|byte| put!(out, "{byte:02x}"));
                out.push(b'>');
            }
            Object::Name(word) => name(out, word),
            Object::Dict(dict) => self.dict(dict, &[], out, depth + 1)?,
            Object::Array(array) => self.array(array, 0, out, depth + 1)?,
        }
        Ok(())
    }

    fn array(
        &mut self,
        array: &Array<'_>,
        skip: usize,
        out: &mut Vec<u8>,
        depth: usize,
    ) -> Result<(), MergeError> {
        out.push(b'[');
        for item in array.raw_iter().skip(skip) {
            self.value(&item, out, depth)?;
        }
        out.push(b']');
        Ok(())
    }

    fn dict(
        &mut self,
        dict: &Dict<'_>,
        without: &[&[u8]],
        out: &mut Vec<u8>,
        depth: usize,
    ) -> Result<(), MergeError> {
        out.extend_from_slice(b"<<");
        self.entries(dict, without, out, depth)?;
        out.extend_from_slice(b">>");
        Ok(())
    }

    fn entries(
        &mut self,
        dict: &Dict<'_>,
        without: &[&[u8]],
        out: &mut Vec<u8>,
        depth: usize,
    ) -> Result<(), MergeError> {
        let mut entries: Vec<_> = dict.entries().collect();
        // The reader has no order of its own, and equal dictionaries must come out equal.
        entries.sort_unstable_by(|(a, _), (b, _)| a.as_ref().cmp(b.as_ref()));
        for (key, value) in entries {
            if !without.contains(&&*key) && !LEFT_OUT.contains(&&*key) {
                name(out, &key);
                self.value(&value, out, depth)?;
            }
        }
        Ok(())
    }

    fn stream(&mut self, stream: &Stream<'_>, out: &mut Vec<u8>, depth: usize) -> Result<(), MergeError> {
        let (dict, data) = (stream.dict(), stream.raw_data());
        out.extend_from_slice(b"<<");
        // What was encrypted no longer is, and so must not be called so.
        if stream.filters().first() == Some(&Filter::Crypt) {
            self.entries(dict, &[keys::LENGTH, keys::FILTER, keys::DECODE_PARMS, keys::DP], out, depth)?;
            for key in [keys::FILTER, keys::DECODE_PARMS] {
                if let Some(array) = dict.get::<Array<'_>>(key) {
                    name(out, key);
                    self.array(&array, 1, out, depth)?;
                }
            }
        } else {
            self.entries(dict, &[keys::LENGTH], out, depth)?;
        }
        put!(out, "/Length {}>>\nstream\n", data.len());
        out.extend_from_slice(&data);
        out.extend_from_slice(b"\nendstream");
        Ok(())
    }
}

/// The streams of what is drawn on a page.
fn contents<'a>(page: &Page<'a>) -> Vec<Stream<'a>> {
    match page.raw().get::<Object<'a>>(keys::CONTENTS) {
        Some(Object::Stream(stream)) => vec![stream],
        Some(Object::Array(array)) => array.iter::<Stream<'a>>().collect(),
        _ => Vec::new(),
    }
}

fn rect(out: &mut Vec<u8>, key: &str, rect: &Rect) {
    put!(out, "/{key}[{} {} {} {}]", rect.x0, rect.y0, rect.x1, rect.y1);
}

/// A name, with what it may not hold as hexadecimal.
fn name(out: &mut Vec<u8>, name: &[u8]) {
    out.push(b'/');
    for byte in name {
        if byte.is_ascii_graphic() && !b"()<>[]{}/%#".contains(byte) {
            out.push(*byte);
        } else {
            put!(out, "#{byte:02x}");
        }
    }
}
