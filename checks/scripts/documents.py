"""Compares the documents of the repository with its files, so that a page that has become untrue is found.

    python3 checks/scripts/documents.py

Prints each complaint with its page and line, and then fails if there is one:

- a link leads to no file or to no heading;
- a path in backticks names no file or folder of the tree (`service/purchasing/next.rs`, `store/engine/`, `next.rs`);
- "decision 13" names no decision, or the list of decisions lacks one;
- decision 29 has no rule for a table of the schema, or a rule for a table that does not exist;
- an entry of the glossary has no path, or is not in alphabetical order;
- ARCHITECTURE.md does not say what a dependency of the workspace is for;
- NOTICE and LICENSES/ do not name the same texts;
- a page leaves its subject unnamed ("nobody", "whoever");
- a file names the host of a package registry: packages are named, and the machine's settings say where they come from.

The examples below are tests, which run first.
"""

import doctest
import pathlib
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Pages that state what is. The change log and the licences are not held to it: they state what was, or are others' texts.
PAGES = re.compile(r"(docs/.*|[A-Z_]+|\.github/.*|checks/.*|clients/.*|fuzz/.*)\.md")
HISTORY = {"CHANGELOG.md"}
UNNAMED = re.compile(r"\b(nobody|somebody|everybody|anybody|whoever|whomever|whosoever)\b", re.IGNORECASE)
REGISTRIES = ("crates" + ".io", "npmjs" + ".org", "npmjs" + ".com", "pypi" + ".org", "pythonhosted" + ".org")
LOCKS = ("Cargo.lock",)
# Files of the worked examples in CONTRIBUTING.md, which a reader makes.
EXAMPLES = re.compile(r"crates/.*/(docks?|courier|00NN_docks)\.(rs|sql)")
# Folders that running the program or its checks makes.
IGNORED = {".git", ".cache", "target", "dockside-data", "corpus", "artifacts", "coverage", "__pycache__"}
MADE = {"fuzz/artifacts", "fuzz/corpus", "target/test-logs"}


def path_in(code):
    """Returns the path that a piece of code in a text names, or None if it names none.

    >>> path_in("service/bus/nats.rs"), path_in("next.rs"), path_in("service/bus/"), path_in("crates/labels")
    ('service/bus/nats.rs', 'next.rs', 'service/bus/', 'crates/labels')
    >>> path_in("api/locations.rs::create_location")
    'api/locations.rs'
    >>> path_in("carriers/<carrier>/"), path_in("/shipments/{id}"), path_in("secrets.toml"), path_in("and/or"), path_in("v1/mod")
    (None, None, None, None, None)
    """
    code = re.sub(r"::\w+$", "", code)
    if re.fullmatch(r"[\w.-]+(/[\w.-]+)*/?", code) is None:
        return None
    is_source = re.search(r"\.(rs|sql|py|sh|mjs|yml)$", code) is not None
    is_in_tree = re.match(r"(crates|docs|checks|clients|fuzz|model|store|service|api|realtime|carriers|labels|dockside|bench|testkit|architecture|tests)/", code)
    return code if is_source or is_in_tree else None


def names(path, tree):
    """Returns whether `path` names a file or a folder of the tree. `service/x.rs` stands for `crates/service/src/x.rs`.

    >>> tree = {"crates/service/src/bus/nats.rs", "crates/service/src/bus", "crates/dockside/tests/it/main.rs"}
    >>> names("service/bus/nats.rs", tree), names("nats.rs", tree), names("bus/nats.rs", tree), names("service/bus/", tree)
    (True, True, True, True)
    >>> names("service/nats.rs", tree), names("tests/it/main.rs", tree), names("ats.rs", tree)
    (False, True, False)
    """
    path = path.rstrip("/")
    if path in MADE or EXAMPLES.fullmatch(path):
        return True
    spellings = {path, re.sub(r"^(\w+)/", r"crates/\1/src/", path)}
    return any(each in spellings or each.endswith(f"/{path}") for each in tree)


def anchors(text):
    """Returns the anchors of a page's headings.

    >>> sorted(anchors("# How it's built\\n## `next.rs`\\n"))
    ['how-its-built', 'nextrs']
    """
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def without_blocks(text):
    """Returns the lines of a page outside of code blocks, with their numbers.

    >>> list(without_blocks("a\\n```\\nb\\n```\\nc"))
    [(1, 'a'), (5, 'c')]
    """
    is_code = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code:
            yield number, line


def check_links(page, number, line):
    for target in re.findall(r"\]\(([^)\s]+)\)", line):
        if re.match(r"[a-z]+:|/", target):
            continue
        file, _, anchor = target.partition("#")
        path = (ROOT / page).parent / file if file else ROOT / page
        if not path.exists():
            yield f"{page}:{number}: link to {target}, which does not exist"
        elif anchor and path.suffix == ".md" and anchor not in anchors(path.read_text()):
            yield f"{page}:{number}: link to {target}, which has no such heading"


def check_line(page, number, line, tree, decisions):
    yield from check_links(page, number, line)
    for code in re.findall(r"`([^`]+)`", line):
        path = path_in(code)
        if path and not names(path, tree) and not (ROOT / page).parent.joinpath(path).exists():
            yield f"{page}:{number}: `{code}` names no file"
    for decision in re.findall(r"[Dd]ecisions? (\d+)", line):
        if int(decision) not in decisions:
            yield f"{page}:{number}: there is no decision {decision}"
    for word in UNNAMED.findall(re.sub(r"`[^`]*`", "", line)):
        yield f"{page}:{number}: name the subject instead of “{word}”"


def check_glossary(page, text):
    entries = re.findall(r"^\| \*\*(.+?)\*\* \|.*\| (.*) \|$", text, re.MULTILINE)
    if not entries:
        yield f"{page}: has no entry"
    for name, place in entries:
        if "`" not in place:
            yield f"{page}: {name} has no module"
    for section in re.split(r"^## ", text, flags=re.MULTILINE):
        listed = [name.lower() for name in re.findall(r"^\| \*\*(.+?)\*\* \|", section, re.MULTILINE)]
        for first, second in zip(listed, listed[1:]):
            if first >= second:
                yield f"{page}: {second} is listed after {first}"


def check_decisions(decisions):
    index = (ROOT / "docs/decisions/README.md").read_text()
    for number, path in decisions.items():
        title = re.match(r"# (\d+)\. (.*)", path.read_text())
        if title is None or int(title[1]) != number:
            yield f"{path.name}: the title does not begin with its number"
        elif f"{number}. [{title[2]}]({path.name})" not in index:
            yield f"docs/decisions/README.md: lacks {number}. [{title[2]}]({path.name})"


def check_retention():
    page = "docs/decisions/0029-retention.md"
    rows = re.findall(r"^\| (`.*?) \|", (ROOT / page).read_text(), re.MULTILINE)
    listed = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    scripts = "".join(path.read_text() for path in sorted((ROOT / "crates/store/migrations/postgres").glob("*.sql")))
    tables = set(re.findall(r"CREATE TABLE (\w+)", scripts)) - set(re.findall(r"DROP TABLE (\w+)", scripts)) | {"migration"}
    yield from (f"{page}: has no row for the table {each}" for each in sorted(tables - listed))
    yield from (f"{page}: there is no table {each}" for each in sorted(listed - tables))


def check_dependencies():
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text())
    architecture = (ROOT / "ARCHITECTURE.md").read_text()
    for name, dependency in manifest["workspace"]["dependencies"].items():
        is_ours = isinstance(dependency, dict) and "path" in dependency
        if not is_ours and f"`{name}`" not in architecture:
            yield f"ARCHITECTURE.md: does not say what `{name}` is for"


def check_notice():
    notice = (ROOT / "NOTICE").read_text()
    named = set(re.findall(r"LICENSES/[\w.-]+\w", notice))
    present = {f"LICENSES/{path.name}" for path in (ROOT / "LICENSES").iterdir()}
    yield from (f"NOTICE: {each} does not exist" for each in sorted(named - present))
    yield from (f"NOTICE: does not name {each}" for each in sorted(present - named))
    for path in re.findall(r"\bcrates/[\w/.-]+\w", notice):
        if not (ROOT / path).exists():
            yield f"NOTICE: {path} does not exist"


def check_registries(files):
    for file in files:
        if file.endswith(LOCKS):
            continue
        content = (ROOT / file).read_bytes()
        for host in REGISTRIES:
            if host.encode() in content:
                yield f"{file}: names {host}"


def tracked():
    """Returns the files that git knows or would add, and that exist; without git, all but those that are made here."""
    command = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        listed = subprocess.run(command, check=True, capture_output=True).stdout.decode().split("\0")
    except (OSError, subprocess.CalledProcessError):
        found = (path.relative_to(ROOT) for path in ROOT.rglob("*"))
        listed = [str(path) for path in found if not IGNORED & set(path.parts)]
    return sorted(file for file in listed if file and (ROOT / file).is_file())


def main():
    if doctest.testmod().failed:
        sys.exit("documents: an example in this program does not hold")
    files = tracked()
    tree = set(files) | {str(parent) for file in files for parent in pathlib.PurePath(file).parents}
    decisions = {int(path.name[:4]): path for path in sorted((ROOT / "docs/decisions").glob("[0-9]*.md"))}
    pages = [file for file in files if PAGES.fullmatch(file) and file not in HISTORY]
    found = []
    for page in pages:
        text = (ROOT / page).read_text()
        for number, line in without_blocks(text):
            found += check_line(page, number, line, tree, decisions)
        if page == "docs/glossary.md":
            found += check_glossary(page, text)
    found += check_decisions(decisions)
    found += check_retention()
    found += check_dependencies()
    found += check_notice()
    found += check_registries(files)
    for complaint in found:
        print(complaint)
    print(f"documents: {len(pages)} pages, {len(found)} complaints")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
