//! Merging of PDF pages from Dockside and from carriers.
//!
//! Objects are copied children first, so that the references of an object have their new numbers when it is written.
//! An object that equals an earlier one is not written again: the fonts of a thousand labels are in the file once.
//!
//! A carrier's file may be broken or hostile. Each cost that it can cause has a limit: the time to read it
//! ([`extent`]), the size to which its streams expand ([`expansion`]), the nesting of its objects, its pages, and the
//! bytes that are written.

use crate::merge::error::MergeError;
use crate::merge::{expansion, extent, picture};
use crate::pdf_file::{Number, PdfFile, put};
use hayro_syntax::object::dict::keys;
use hayro_syntax::object::{Array, Dict, MaybeRef, ObjRef, Object, Rect, Stream};
use hayro_syntax::page::{Page, Rotation};
use hayro_syntax::{Filter, Pdf};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Maximum size of one file, in bytes.
const FILE_BYTES_MAX: usize = 32 << 20;
/// Maximum number of pages of one file.
const PAGES_MAX: usize = 500;
/// Maximum number of bytes that are written for one file's pages. Inherited resources are written with each page, so
/// this can exceed the file's size.
const WRITTEN_BYTES_MAX: usize = 2 * FILE_BYTES_MAX;
/// Maximum nesting of objects. Pages of labels have about ten levels.
const DEPTH_MAX: usize = 64;
/// Maximum number of objects that are remembered for sharing. If each label has its own pictures, their number is
/// unlimited.
const SHARED_MAX: usize = 1 << 16;

/// Entries that describe the source file, not the appearance of the page.
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
    /// The numbers of the written objects, by a hash of their bytes.
    shared: HashMap<[u8; 16], Number>,
}

impl Default for PdfMerge {
    fn default() -> Self {
        Self { file: PdfFile::new(), shared: HashMap::new() }
    }
}

impl PdfMerge {
    /// Adds all pages of a PDF. A PNG becomes a page.
    pub fn add(&mut self, file: &[u8]) -> Result<Vec<u8>, MergeError> {
        if picture::is_png(file) {
            picture::add_page(&mut self.file, file)?;
            return Ok(self.file.take());
        }
        if file.len() > FILE_BYTES_MAX {
            return Err(MergeError(format!("it has more than {FILE_BYTES_MAX} bytes")));
        }
        extent::check(file)?;
        expansion::check(file)?;
        // The parser is a third-party library. If it panics, this file is rejected and the others are merged.
        let read = catch_unwind(AssertUnwindSafe(|| self.copy(file)));
        let pages = read.unwrap_or_else(|_| Err(MergeError("its structure is broken".to_owned())))?;
        pages.iter().for_each(|page| self.file.page(page));
        Ok(self.file.take())
    }

    /// Copies the objects that the pages of a PDF need, and returns the entries of the pages' dictionaries.
    fn copy(&mut self, file: &[u8]) -> Result<Vec<Vec<u8>>, MergeError> {
        let pdf = Pdf::new(Arc::new(file.to_vec()))
            .map_err(|error| MergeError(format!("it is no PDF that can be read ({error:?})")))?;
        let (file, shared) = (&mut self.file, &mut self.shared);
        let mut copy = Copy { pdf: &pdf, file, shared, seen: HashMap::new(), written: 0 };
        if pdf.pages().len() > PAGES_MAX {
            return Err(MergeError(format!("it has more than {PAGES_MAX} pages")));
        }
        let pages = pdf.pages().iter().map(|page| copy.page(page)).collect::<Result<Vec<_>, _>>()?;
        if pages.is_empty() {
            return Err(MergeError("it has no pages".to_owned()));
        }
        Ok(pages)
    }

    pub fn finish(self) -> Vec<u8> {
        self.file.finish()
    }
}

/// The progress of copying an object.
#[derive(Clone, Copy)]
enum Seen {
    /// The object is being copied. It has a number if one of its children refers back to it.
    Begun(Option<Number>),
    Written(Number),
}

/// One file whose pages are copied.
struct Copy<'a> {
    pdf: &'a Pdf,
    file: &'a mut PdfFile,
    shared: &'a mut HashMap<[u8; 16], Number>,
    seen: HashMap<ObjRef, Seen>,
    /// Bytes of pages and objects so far.
    written: usize,
}

impl Copy<'_> {
    /// Copies the objects that a page needs, and returns the entries of its dictionary.
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
            self.count(body.len())?;
            // The contents of two labels are never equal, so they are not shared.
            let number = self.file.add(&body);
            put!(entries, "{number} 0 R ");
        }
        entries.push(b']');
        self.count(entries.len())?;
        Ok(entries)
    }

    /// Counts written bytes, and rejects the file if there are too many.
    fn count(&mut self, bytes: usize) -> Result<(), MergeError> {
        self.written += bytes;
        match self.written <= WRITTEN_BYTES_MAX {
            true => Ok(()),
            false => Err(MergeError(format!("its pages come to more than {WRITTEN_BYTES_MAX} bytes"))),
        }
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

    /// Returns the new number of a referenced object, which is copied first, or `None` if the object does not exist.
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
        self.count(body.len())?;
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

    /// Writes an object, unless an equal one was written before.
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
            // A stream is never part of another object.
            Object::Null(_) | Object::Stream(_) => put!(out, " null"),
            Object::Boolean(value) => put!(out, " {value}"),
            Object::Number(number) => {
                let value = number.as_f64();
                // Rust formats floats without an exponent, as PDF requires.
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
        // The reader returns entries in no fixed order, and equal dictionaries must produce equal bytes.
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
        // The stream has been decrypted, so its encryption filter must be removed.
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

/// Returns the content streams of a page.
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

/// Appends a name, with the characters that it must not contain as hexadecimal escapes.
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
