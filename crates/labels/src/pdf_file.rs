//! Writes a PDF: objects one after the other, pages in a tree, and at the end the offset of each object.
//!
//! The caller can take the written bytes at any time, so a file may be far larger than the memory. The writer keeps only the
//! offsets of the objects, eight bytes each, and the numbers of one open node's kids for each level of the tree.

use std::io::Write as _;

/// Maximum number of kids of a node in the tree of pages. Readers find a page in a few steps, however many there are.
const KIDS_MAX: usize = 64;
/// The first offset that does not fit into the ten digits of a table. From here on, a stream lists the offsets.
const TABLE_END: u64 = 10_000_000_000;
/// Bytes of an offset in such a stream: up to a tebibyte.
const PLACE_BYTES: usize = 5;

/// The number of an object.
pub(crate) type Number = u32;

/// A node of the tree that can get more kids.
struct Node {
    number: Number,
    kids: Vec<Number>,
    /// Pages below it.
    pages: u64,
}

/// A PDF that is being written.
pub(crate) struct PdfFile {
    out: Vec<u8>,
    /// Bytes that the caller has taken.
    taken: u64,
    /// The offset of each object, by its number less one. Zero for objects that are not written yet.
    places: Vec<u64>,
    /// The open node of each level, the lowest first.
    tree: Vec<Node>,
}

/// Writing to a vector can't fail.
macro_rules! put {
    ($out:expr, $($argument:tt)*) => { _ = write!($out, $($argument)*) };
}
pub(crate) use put;

impl PdfFile {
    pub fn new() -> Self {
        // The comment has bytes beyond ASCII, so that programs do not take the file for text.
        let out = b"%PDF-1.7\n%\x80\x81\x82\x83\n".to_vec();
        Self { out, taken: 0, places: Vec::new(), tree: Vec::new() }
    }

    /// Reserves memory for bytes that will be written, so that the buffer is not reallocated for them.
    pub fn reserve(&mut self, bytes: usize) {
        self.out.reserve(bytes);
    }

    /// Returns a number for an object that will be written.
    pub fn number(&mut self) -> Number {
        self.places.push(0);
        Number::try_from(self.places.len()).unwrap_or(Number::MAX)
    }

    /// Writes an object.
    pub fn object(&mut self, number: Number, body: &[u8]) {
        self.begin(number);
        self.out.extend_from_slice(body);
        self.out.extend_from_slice(b"\nendobj\n");
    }

    /// Writes an object under a new number.
    pub fn add(&mut self, body: &[u8]) -> Number {
        let number = self.number();
        self.object(number, body);
        number
    }

    /// Writes a stream with these entries in its dictionary.
    pub fn stream(&mut self, entries: &str, bytes: &[u8]) -> Number {
        let number = self.number();
        self.begin(number);
        put!(self.out, "<<{entries}/Length {}>>\nstream\n", bytes.len());
        self.out.extend_from_slice(bytes);
        self.out.extend_from_slice(b"\nendstream\nendobj\n");
        number
    }

    fn begin(&mut self, number: Number) {
        let place = self.taken + self.out.len() as u64;
        if let Some(kept) = self.places.get_mut(number as usize - 1) {
            *kept = place;
        }
        put!(self.out, "{number} 0 obj\n");
    }

    /// Adds a page with these entries in its dictionary, and with its type and its parent in the tree.
    pub fn page(&mut self, entries: &[u8]) {
        let parent = self.parent(0);
        let mut body = Vec::with_capacity(entries.len() + 40);
        put!(body, "<</Type/Page/Parent {parent} 0 R");
        body.extend_from_slice(entries);
        body.extend_from_slice(b">>");
        let number = self.add(&body);
        let node = &mut self.tree[0];
        node.kids.push(number);
        node.pages += 1;
    }

    /// Returns the node of a level that gets the next kid. If the open node is full, closes it and opens another.
    fn parent(&mut self, storey: usize) -> Number {
        if self.tree.get(storey).is_some_and(|node| node.kids.len() == KIDS_MAX) {
            let above = self.parent(storey + 1);
            let number = self.number();
            let full = std::mem::replace(&mut self.tree[storey], Node { number, kids: Vec::new(), pages: 0 });
            self.node(&full, Some(above));
            self.tree[storey + 1].kids.push(full.number);
            self.tree[storey + 1].pages += full.pages;
        }
        if self.tree.len() == storey {
            let number = self.number();
            self.tree.push(Node { number, kids: Vec::new(), pages: 0 });
        }
        self.tree[storey].number
    }

    fn node(&mut self, node: &Node, parent: Option<Number>) {
        let mut body = Vec::new();
        put!(body, "<</Type/Pages/Count {}/Kids[", node.pages);
        node.kids.iter().for_each(|kid| put!(body, "{kid} 0 R "));
        body.push(b']');
        parent.into_iter().for_each(|parent| put!(body, "/Parent {parent} 0 R"));
        body.extend_from_slice(b">>");
        self.object(node.number, &body);
    }

    /// Returns the bytes that were written since the last call.
    pub fn take(&mut self) -> Vec<u8> {
        self.taken += self.out.len() as u64;
        std::mem::take(&mut self.out)
    }

    /// Closes the tree, and writes the offsets of all objects. Returns the bytes that were not taken yet.
    pub fn finish(mut self) -> Vec<u8> {
        self.parent(0);
        let mut below = None::<(Number, u64)>;
        let mut storeys = std::mem::take(&mut self.tree).into_iter().peekable();
        while let Some(mut node) = storeys.next() {
            if let Some((kid, pages)) = below {
                node.kids.push(kid);
                node.pages += pages;
            }
            self.node(&node, storeys.peek().map(|above| above.number));
            below = Some((node.number, node.pages));
        }
        let root = below.map_or(1, |(number, _)| number);
        let catalog = self.add(format!("<</Type/Catalog/Pages {root} 0 R>>").as_bytes());
        let info = self.add(b"<</Producer(Dockside)>>");
        let start = self.taken + self.out.len() as u64;
        if start < TABLE_END {
            self.table(catalog, info);
        } else {
            self.places_as_stream(start, catalog, info);
        }
        put!(self.out, "startxref\n{start}\n%%EOF\n");
        self.out
    }

    fn table(&mut self, catalog: Number, info: Number) {
        let size = self.places.len() + 1;
        put!(self.out, "xref\n0 {size}\n0000000000 65535 f\r\n");
        for place in &self.places {
            if *place == 0 {
                self.out.extend_from_slice(b"0000000000 65535 f\r\n");
            } else {
                put!(self.out, "{place:010} 00000 n\r\n");
            }
        }
        put!(self.out, "trailer\n<</Size {size}/Root {catalog} 0 R/Info {info} 0 R>>\n");
    }

    /// Writes the offsets as a stream, which has room for larger ones than the table. It lists itself too.
    fn places_as_stream(&mut self, start: u64, catalog: Number, info: Number) {
        let own = self.number();
        self.begin(own);
        debug_assert_eq!(self.places.last(), Some(&start));
        let (size, length) = (self.places.len() + 1, (self.places.len() + 1) * (1 + PLACE_BYTES));
        put!(
            self.out,
            "<</Type/XRef/Size {size}/W[1 {PLACE_BYTES} 0]/Root {catalog} 0 R/Info {info} 0 R/Length {length}>>\nstream\n"
        );
        self.out.extend_from_slice(&[0; 1 + PLACE_BYTES]);
        for place in &self.places {
            self.out.push(u8::from(*place != 0));
            self.out.extend_from_slice(&place.to_be_bytes()[8 - PLACE_BYTES..]);
        }
        self.out.extend_from_slice(b"\nendstream\nendobj\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hayro_syntax::Pdf;

    fn pages(file: PdfFile) -> Option<usize> {
        Pdf::new(file.finish()).ok().map(|pdf| pdf.pages().len())
    }

    #[test]
    fn the_tree_holds_every_page_whatever_their_number() {
        for count in [1, 63, 64, 65, 128, 129, 4_096, 4_097, 9_000] {
            let mut file = PdfFile::new();
            (0..count).for_each(|_| file.page(b"/MediaBox[0 0 9 9]"));
            assert!(file.tree.iter().all(|node| node.kids.len() <= KIDS_MAX));
            assert_eq!(pages(file), Some(count));
        }
    }

    #[test]
    fn places_beyond_ten_digits_are_listed_in_a_stream() {
        let mut file = PdfFile::new();
        file.taken = 3 * TABLE_END;
        file.page(b"/MediaBox[0 0 9 9]");
        let bytes = file.finish();
        let text = String::from_utf8_lossy(&bytes);
        let start: usize =
            text.rsplit("startxref\n").next().unwrap().lines().next().unwrap().parse().unwrap();
        let at = &bytes[start - 3 * TABLE_END as usize..];
        assert!(at.starts_with(b"5 0 obj\n<</Type/XRef/Size 6/W[1 5 0]"), "{}", String::from_utf8_lossy(at));
        // Each entry says where its object begins.
        let data = at.windows(8).position(|window| window == b"\nstream\n").unwrap() + 8;
        for number in 1..=5_usize {
            let entry = &at[data + 6 * number..][..6];
            let place = entry[1..].iter().fold(0_u64, |place, byte| place << 8 | u64::from(*byte));
            let object = &bytes[usize::try_from(place - 3 * TABLE_END).unwrap()..];
            assert!(entry[0] == 1 && object.starts_with(format!("{number} 0 obj").as_bytes()), "{number}");
        }
    }
}
