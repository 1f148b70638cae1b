"""Has tools that others wrote read the labels of label_samples: zbar the barcodes, poppler the PDFs, a renderer the ZPL.

    check.py SAMPLES COUNT FONTS TOOLS WORK

SAMPLES is the example's program, FONTS a folder with Noto's fonts, TOOLS where ./test installed the renderer, and WORK a
folder for all that is written. A green run ends with one line:
    labels: N labels, N barcodes read in each of PNG, PDF and ZPL, N pages of customs papers, N words found in the PDFs' text
"""

import collections
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

# Words that stand on some label, of several scripts, as they must come out of the PDF's text again.
WORDS = ["Quay Street", "Großmann", "山田", "Петров", "Ερμού", "김민준", "王小明", "Świętokrzyska", "Nguyễn"]


def fail(message):
    sys.exit(f"labels: {message}")


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if done.returncode:
        fail(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def read_codes(image):
    """The barcodes of an image, as (kind, text); zbar ends with 4 where it finds none."""
    done = subprocess.run(["zbarimg", "--quiet", str(image)], capture_output=True, text=True)
    return {tuple(line.split(":", 1)) for line in done.stdout.splitlines()}


def check_image(task):
    image, wanted = task
    read = read_codes(image)
    # A row of another code may look like a short one, so more may be read; what was printed must be.
    missing = wanted - read
    return f"{image.name}: not read: {sorted(missing)}; read: {sorted(read)}" if missing else None


def expected(table):
    """What must be read, by the number of the label or page."""
    wanted = collections.defaultdict(set)
    for line in table.read_text().splitlines():
        number, kind, text = line.split("\t")
        wanted[int(number)].add((kind, text))
    return wanted


def draw(document):
    """The pages of a PDF as images, as a printer of 203 dpi would print them."""
    stem = document.with_suffix("")
    run("pdftoppm", "-r", "203", "-gray", "-png", document, stem)
    return sorted(document.parent.glob(f"{stem.name}-*.png"), key=lambda page: int(re.search(r"-(\d+)", page.name)[1]))


def main():
    samples, count, fonts, tools, work = sys.argv[1:]
    work = pathlib.Path(work)
    run(samples, count, work, fonts)
    wanted, papers = expected(work / "expected.tsv"), expected(work / "papers.tsv")
    run("node", pathlib.Path(__file__).parent / "render.mjs", work, cwd=tools)
    pages, sheets = draw(work / "all.pdf"), draw(work / "papers.pdf")
    if (len(pages), len(sheets)) != (int(count), len(papers)):
        fail(f"all.pdf has {len(pages)} pages, not {count}; papers.pdf has {len(sheets)}, not {len(papers)}")
    tasks = [(work / f"{n}.{kind}", codes) for n, codes in wanted.items() for kind in ("png", "zpl.png")]
    tasks += [(pages[n], codes) for n, codes in wanted.items()]
    tasks += [(sheets[n], codes) for n, codes in papers.items()]
    with ThreadPoolExecutor(2) as pool:
        faults = [fault for fault in pool.map(check_image, tasks) if fault]
    if faults:
        fail("\n".join(faults))

    text = run("pdftotext", work / "all.pdf", "-")
    lost = [word for word in WORDS if word not in text]
    if lost:
        fail(f"the PDFs' text lacks {lost}")
    fonts_used = run("pdffonts", work / "all.pdf").splitlines()[2:]
    # Name, type (which may have spaces), encoding, then: embedded, subset, unicode.
    loose = [line for line in fonts_used if line.split()[-5:-2] != ["yes", "yes", "yes"]]
    if loose or not fonts_used:
        fail("not embedded as subsets with a way back to text: " + "; ".join(loose or ["no fonts at all"]))
    codes = sum(len(codes) for codes in wanted.values())
    read = f"{codes} barcodes read in each of PNG, PDF and ZPL, {len(papers)} pages of customs papers"
    print(f"labels: {count} labels, {read}, {len(WORDS)} words found in the PDFs' text")


main()
