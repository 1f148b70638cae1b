"""Has tools that others wrote read the papers of label_samples: zbar and zxing-cpp the barcodes, poppler and qpdf the
PDFs, a renderer the ZPL, Python the ZIP.

    check.py SAMPLES COUNT FONTS TOOLS WORK

SAMPLES is the example's program, FONTS a folder with Noto's fonts, TOOLS where ./test installed the tools, and WORK a
folder for all that is written. A green run ends with one line:
    labels: N shipments, N labels, N barcodes read in each of PNG, PDF and ZPL, N of them …
"""

import collections
import functools
import os
import pathlib
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as xml
import zipfile
from concurrent.futures import ProcessPoolExecutor

import pikepdf
import zxingcpp
from PIL import Image

# Words that stand on some label, of several scripts, as they must come out of the PDF's text again.
WORDS = ["Quay Street", "Großmann", "山田", "Петров", "Ερμού", "김민준", "王小明", "Świętokrzyska", "Nguyễn"]
# The text of so many PDFs is read, which is more than one of each script.
TEXTS = 32
# A page of A4 takes readers as long as five labels; so many manifests, warehouse papers and customs' papers are read.
SHEETS = 48
# So many pages of the merged PDF are drawn and read, the first and the last among them.
MERGED = 24
# So many shipments have labels for printers of these resolutions, drawn and scaled.
FINE, FINE_DPI = 24, (300, 600)
# Files that a tool gets at once.
CHUNK = 24

# How zbar names a kind of code; it knows no Data Matrix. And how zxing does, with the identifier of ISO/IEC 15424, which
# tells GS1's codes (those with FNC1 in front) from others.
ZBAR = {"Code128": "CODE-128", "GS1-128": "CODE-128", "QRCode": "QR-Code"}
ZXING = {"Code128": "]C0", "GS1-128": "]C1", "QRCode": "]Q1", "GS1-DataMatrix": "]d2"}


def fail(message):
    sys.exit(f"labels: {message}")


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))[:400]} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def read_with_zbar(images):
    """The barcodes of each image, as (kind, text)."""
    options = ["--nodbus", "--quiet", "--xml", "-Sdisable", "-Scode128.enable", "-Sqrcode.enable"]
    # Every second line and column is enough for modules of two dots and more.
    options += ["-Sx-density=2", "-Sy-density=2"]
    # Its library for images would start threads that wait for each other; this program starts as many as there are cores.
    alone = os.environ | {"OMP_NUM_THREADS": "1"}
    # It ends with 4 where it finds nothing on an image.
    done = subprocess.run(["zbarimg", *options, *map(str, images)], capture_output=True, text=True, env=alone)
    read = {image: set() for image in images}
    name = {"z": "http://zbar.sourceforge.net/2008/barcode"}
    for source in xml.fromstring(done.stdout).iterfind("z:source", name):
        for symbol in source.iterfind(".//z:symbol", name):
            read[pathlib.Path(source.get("href"))].add((symbol.get("type"), symbol.findtext("z:data", "", name)))
    return read


def read_with_zxing(images):
    """The barcodes of each image, as (identifier, text)."""
    read = {}
    for image in images:
        options = {"try_rotate": False, "try_invert": False}
        codes = zxingcpp.read_barcodes(Image.open(image).convert("L"), **options)
        read[image] = {(code.symbology_identifier, code.bytes.decode()) for code in codes}
    return read


def draw(documents):
    """PDFs as images of their pages, as a printer of 203 dpi would print them."""
    for document in documents:
        run("pdftoppm", "-r", "203", "-gray", document, document)


def render(documents, tools):
    """ZPL as images of its labels."""
    run("node", pathlib.Path(__file__).parent / "render.mjs", *documents, cwd=tools)


def expected(table):
    """What must be read: by shipment and file, for each page the kinds and texts of its codes."""
    wanted = collections.defaultdict(lambda: collections.defaultdict(set))
    for line in table.read_text().splitlines():
        number, name, page, kind, text = line.split("\t")
        wanted[int(number), name][int(page)].add((kind, text))
    return wanted


def pages(document):
    """The images of a file's pages, in their order."""
    found = document.parent.glob(f"{document.name}-*.p[gn][mg]")
    return sorted(found, key=lambda page: int(re.search(r"-(\d+)\.p[gn][mg]$", page.name)[1]))


def images(work, number, name, count):
    """Each image on which the codes of a page must be, by page and format."""
    if name != "label":
        return {"pdf": pages(work / f"{number}.{name}")[:1]}
    alone = [work / f"{number}.label.png"] if count == 1 else []
    png = alone or [work / f"{number}.label-{page}.png" for page in range(1, count + 1)]
    return {"png": png, "pdf": pages(work / f"{number}.label.pdf"), "zpl": pages(work / f"{number}.label.zpl")}


def fine_images(work, number, count):
    """The same for printers of finer resolutions, by what was made and for which."""
    found = {}
    for dpi in FINE_DPI if number < FINE else ():
        for kind in ("fine", "scaled"):
            found[f"{kind}-{dpi}"] = [work / f"{number}.{kind}-{dpi}-{page}.png" for page in range(1, count + 1)]
        found[f"zpl-{dpi}"] = pages(work / f"{number}.fine-{dpi}.zpl")
    return found


def chunks(things, size=CHUNK):
    return [things[at : at + size] for at in range(0, len(things), size)]


def is_for_zxing(image, codes):
    """It reads every PNG; of the rest, what zbar does not know or tell: Data Matrix and GS1."""
    is_png = image.suffix == ".png" and ".zpl" not in image.name
    return is_png or any(kind.startswith("GS1") for kind, _ in codes)


def missing(read, wanted, names):
    """What was not read. A row of another code may look like a short one, so more may be read; what was printed must be."""
    faults = []
    for image, codes in wanted.items():
        lost = {(names[kind], text) for kind, text in codes if kind in names} - read[image]
        if lost:
            faults.append(f"{image.name}: not read: {sorted(lost)}; read: {sorted(read[image])}")
    return faults


def check_text(work, count):
    documents = [work / f"{number}.label.pdf" for number in range(min(TEXTS, count))]
    text = "".join(run("pdftotext", document, "-") for document in documents)
    lost = [word for word in WORDS if word not in text]
    if lost:
        fail(f"the PDFs' text lacks {lost}")
    for document in documents:
        fonts = run("pdffonts", document).splitlines()[2:]
        # Name, type (which may have spaces), encoding, then: embedded, subset, unicode.
        loose = [line for line in fonts if line.split()[-5:-2] != ["yes", "yes", "yes"]]
        if loose or not fonts:
            fail(f"{document.name}: not embedded as subsets with a way back to text: {loose or 'no fonts at all'}")


def check_merged(work, labels, wanted):
    """The files with all labels: the right ones, in order, and nothing that a strict reader complains about."""
    pages = [(key, page) for key in labels for page in sorted(wanted[key])]
    with pikepdf.open(work / "merged.pdf") as merged:
        if complaints := merged.check_pdf_syntax():
            fail(f"merged.pdf: {complaints}")
        if len(merged.pages) != len(pages):
            fail(f"merged.pdf has {len(merged.pages)} pages, not {len(pages)}")
    step = max(1, (len(pages) - 1) // (MERGED - 1))
    some = sorted({*range(0, len(pages), step), len(pages) - 1})
    faults = []
    for index in some:
        run("pdftoppm", "-r", "203", "-gray", "-f", index + 1, "-l", index + 1, "-singlefile",
            work / "merged.pdf", work / f"merged-{index}")  # fmt: skip
        key, page = pages[index]
        image = work / f"merged-{index}.pgm"
        faults += missing(read_with_zxing([image]), {image: wanted[key][page]}, ZXING)
    if faults:
        fail("\n".join(faults))
    apart = b"".join((work / f"{number}.label.zpl").read_bytes() for number, _ in labels)
    if (work / "merged.zpl").read_bytes() != apart:
        fail("merged.zpl is not the labels one after the other")
    names = [path.name for key in labels for path in images(work, *key, len(wanted[key]))["png"]]
    with zipfile.ZipFile(work / "merged.zip") as merged:
        if merged.testzip() or merged.namelist() != names:
            fail("merged.zip is broken, or has other labels")
        if any(merged.read(name) != (work / name).read_bytes() for name in names):
            fail("a label in merged.zip is not the label")
    return len(pages), len(some)


def main():
    samples, count, fonts, tools, work = sys.argv[1:]
    work, count, start = pathlib.Path(work), int(count), time.monotonic()
    took = {}

    def lap(what):
        took[what] = time.monotonic() - start - sum(took.values())

    run(samples, count, work, fonts)
    lap("drawn")
    wanted = expected(work / "expected.tsv")
    sheets = [key for key in wanted if key[1] != "label"][:SHEETS]
    labels = [key for key in wanted if key[1] == "label"]
    processes = os.cpu_count() or 1
    with ProcessPoolExecutor(processes) as pool:
        each = lambda work_on, *lists: list(pool.map(work_on, *lists))  # noqa: E731
        zpl = [work / f"{number}.label.zpl" for number, _ in labels]
        zpl += [work / f"{number}.fine-{dpi}.zpl" for number, _ in labels if number < FINE for dpi in FINE_DPI]
        # Starting the renderer takes a second, so each process starts it a few times only.
        each(functools.partial(render, tools=tools), chunks(zpl, len(zpl) // (2 * processes) + 1))
        lap("ZPL rendered")
        pdf = [work / f"{number}.label.pdf" for number, _ in labels] + [work / f"{n}.{name}" for n, name in sheets]
        each(draw, chunks(pdf))
        lap("PDFs drawn")
        tasks = {}
        for number, name in labels + sheets:
            codes = wanted[number, name]
            more = fine_images(work, number, len(codes)) if name == "label" else {}
            for kind, found in (images(work, number, name, len(codes)) | more).items():
                if len(found) != len(codes):
                    fail(f"{number}.{name} as {kind} has {len(found)} pages, not {len(codes)}")
                tasks |= {image: codes[page] for page, image in enumerate(found, 1)}
        faults = []
        for reader, names in ((read_with_zbar, ZBAR), (read_with_zxing, ZXING)):
            some = {image: codes for image, codes in tasks.items() if names is ZBAR or is_for_zxing(image, codes)}
            read = functools.reduce(lambda all, some: all | some, each(reader, chunks(list(some))))
            faults += missing(read, some, names)
            lap(reader.__name__.replace("_", " "))
    if faults:
        fail("\n".join(faults))
    check_text(work, count)
    merged, read_of_merged = check_merged(work, sorted(labels), wanted)
    lap("merged files")
    pages_of_labels = sum(len(wanted[key]) for key in labels)
    codes = sum(len(codes) for key in labels for codes in wanted[key].values())
    kinds = collections.Counter(kind for key in labels for codes in wanted[key].values() for kind, _ in codes)
    print(", ".join(f"{what} {seconds:.0f} s" for what, seconds in took.items()))
    print(
        f"labels: {count} shipments, {pages_of_labels} labels, {codes} barcodes read in each of PNG, PDF and ZPL, "
        f"{kinds['GS1-128']} of them GS1-128 and {kinds['GS1-DataMatrix']} GS1 Data Matrix with their FNC1, "
        f"those of {min(FINE, count)} shipments also at {' and '.join(map(str, FINE_DPI))} dpi, {len(sheets)} customs papers, {len(WORDS)} words found in the PDFs' text; "
        f"{merged} labels merged in each format, {read_of_merged} pages of them read"
    )


if __name__ == "__main__":
    main()
