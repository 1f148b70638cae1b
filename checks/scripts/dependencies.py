"""Holds the dependency tree to the rules of deny.toml: licences, bans and sources.

    python3 checks/scripts/dependencies.py

Prints each crate that breaks a rule, and each exception that no crate needs any more, and then fails. It reads what
`cargo metadata --locked` says of the workspace and of the fuzz targets. The rules mean what they mean to cargo-deny,
which takes longer to compile than the stage that runs this may take. A setting that this program does not know is an
error, so no rule in deny.toml is silently left out.

The examples below are tests, which run first.
"""

import doctest
import json
import pathlib
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
MANIFESTS = ("Cargo.toml", "fuzz/Cargo.toml")
# How cargo names the registry of the Rust project, whatever mirror it is read from.
REGISTRY = re.compile(r"registry\+https://github\.com/rust-lang/[a-z.]+-index")
# Each setting that the rules below implement, and the values that they implement.
SETTINGS = {
    "graph": {"targets": None, "all-features": [True]},
    "licenses": {"allow": None, "exceptions": None},
    "bans": {"multiple-versions": ["deny"], "wildcards": ["deny"], "allow-wildcard-paths": [True], "deny": None, "skip": None},
    "sources": {"unknown-registry": ["deny"], "unknown-git": ["deny"]},
}


def unknown_settings(rules):
    """Returns a complaint for each setting that is not implemented here.

    >>> unknown_settings({"sources": {"unknown-git": "warn"}, "advisories": {}})
    ['deny.toml: sources.unknown-git = "warn" is not implemented', 'deny.toml: advisories is not implemented']
    """
    found = []
    for section, settings in rules.items():
        if section not in SETTINGS:
            found.append(f"deny.toml: {section} is not implemented")
            continue
        for name, value in settings.items():
            values = SETTINGS[section].get(name, [])
            if values is not None and value not in values:
                found.append(f"deny.toml: {section}.{name} = {json.dumps(value)} is not implemented")
    return found


def parse_licence(text):
    """Returns a licence expression as nested tuples. WITH binds closest, then AND, then OR; a slash is an old OR.

    >>> parse_licence("MIT OR Apache-2.0 AND ISC")
    ('OR', 'MIT', ('AND', 'Apache-2.0', 'ISC'))
    >>> parse_licence("(MIT/Apache-2.0) AND GPL-2.0 WITH Classpath-exception-2.0")
    ('AND', ('OR', 'MIT', 'Apache-2.0'), 'GPL-2.0 WITH Classpath-exception-2.0')
    >>> parse_licence("MIT OR")
    Traceback (most recent call last):
    ValueError: not a licence expression: MIT OR
    """
    words = re.findall(r"[()]|[^\s()]+", text.replace("/", " OR "))

    def fail():
        raise ValueError(f"not a licence expression: {text}")

    def name():
        if not words or words[0] in ("AND", "OR", "WITH", ")"):
            fail()
        word = words.pop(0)
        if word == "(":
            inner = either()
            if not words or words.pop(0) != ")":
                fail()
            return inner
        if words[:1] == ["WITH"]:
            if len(words) < 2:
                fail()
            word = f"{word} {words.pop(0)} {words.pop(0)}"
        return word

    def joined(operator, part):
        parts = [part()]
        while words[:1] == [operator]:
            words.pop(0)
            parts.append(part())
        return parts[0] if len(parts) == 1 else (operator, *parts)

    def both():
        return joined("AND", name)

    def either():
        return joined("OR", both)

    tree = either()
    return tree if not words else fail()


def granting(tree, allowed):
    """Returns the licences of `allowed` that satisfy the expression, or None if they do not.

    >>> sorted(granting(parse_licence("(MIT OR GPL-3.0-only) AND ISC"), {"MIT", "ISC", "Zlib"}))
    ['ISC', 'MIT']
    >>> granting(parse_licence("MIT AND GPL-3.0-only"), {"MIT"})
    >>> granting(parse_licence("Apache-2.0 WITH LLVM-exception"), {"Apache-2.0"})
    """
    if isinstance(tree, str):
        return {tree} if tree in allowed else None
    operator, *parts = tree
    granted = [granting(part, allowed) for part in parts]
    if operator == "AND" and None in granted:
        return None
    granted = [some for some in granted if some is not None]
    return set().union(*granted) if granted else None


def check_licences(rules, packages, used):
    """Returns a complaint for each crate without an allowed licence.

    >>> rules = {"allow": ["MIT"], "exceptions": [{"crate": "fuzzer", "allow": ["NCSA"]}]}
    >>> crate = lambda name, licence: {"name": name, "version": "1.0.0", "license": licence}
    >>> check_licences(rules, [crate("fuzzer", "MIT AND NCSA"), crate("free", "MIT OR GPL-3.0-only")], set())
    []
    >>> check_licences(rules, [crate("other", "NCSA"), crate("secret", None)], set())
    ['other 1.0.0: licence NCSA is not allowed', 'secret 1.0.0: licence None is not allowed']
    """
    found = []
    for package in packages:
        exceptions = {
            licence
            for exception in rules.get("exceptions", [])
            if exception["crate"] == package["name"]
            for licence in exception["allow"]
        }
        licence = package["license"]
        granted = licence and granting(parse_licence(licence), exceptions | set(rules["allow"]))
        if not granted:
            found.append(f"{package['name']} {package['version']}: licence {licence} is not allowed")
            continue
        used |= granted
        used |= {(package["name"], each) for each in granted & exceptions}
    return found


def check_bans(rules, packages, used):
    """Returns a complaint for each banned crate, each crate in two versions, and each dependency without a version.

    >>> crate = lambda name, version, *needs: {"name": name, "version": version, "source": None, "dependencies": needs}
    >>> rules = {"deny": [{"crate": "openssl-sys", "reason": "rustls"}], "skip": [{"crate": "rand@0.9.5"}]}
    >>> check_bans(rules, [crate("rand", "0.9.5"), crate("rand", "0.10.3")], set())
    []
    >>> check_bans(rules, [crate("syn", "2.0.0"), crate("syn", "3.0.0"), crate("openssl-sys", "0.9.0")], set())
    ['openssl-sys 0.9.0: banned (rustls)', 'syn: versions 2.0.0, 3.0.0']
    >>> check_bans(rules, [crate("ours", "0.1.0", {"name": "serde", "req": "*", "path": None})], set())
    ['ours 0.1.0: names no version of serde']
    """
    banned = {entry["crate"]: entry["reason"] for entry in rules.get("deny", [])}
    skipped = {entry["crate"] for entry in rules.get("skip", [])}
    found, versions = [], {}
    for package in packages:
        name, version = package["name"], package["version"]
        versions.setdefault(name, []).append(version)
        if name in banned:
            found.append(f"{name} {version}: banned ({banned[name]})")
        if package["source"] is None:
            for need in package["dependencies"]:
                if need["req"] == "*" and need.get("path") is None:
                    found.append(f"{name} {version}: names no version of {need['name']}")
    for name, all_versions in versions.items():
        if len(all_versions) == 1:
            continue
        used |= {f"{name}@{version}" for version in all_versions} & skipped
        if sum(f"{name}@{version}" not in skipped for version in all_versions) > 1:
            found.append(f"{name}: versions {', '.join(sorted(all_versions))}")
    return found


def check_sources(packages, root):
    """Returns a complaint for each crate that comes neither from the registry nor from this repository.

    >>> crate = lambda source, path: {"name": "x", "version": "1.0.0", "source": source, "manifest_path": path}
    >>> check_sources([crate(None, "/repo/crates/x/Cargo.toml"), crate("git+https://host/x", "/x/Cargo.toml")], "/repo")
    ['x 1.0.0: comes from git+https://host/x']
    >>> check_sources([crate(None, "/elsewhere/x/Cargo.toml")], "/repo")
    ['x 1.0.0: comes from /elsewhere/x/Cargo.toml']
    """
    found = []
    for package in packages:
        source, path = package["source"], package["manifest_path"]
        known = pathlib.Path(path).is_relative_to(root) if source is None else REGISTRY.fullmatch(source)
        if not known:
            found.append(f"{package['name']} {package['version']}: comes from {source or path}")
    return found


def unused_exceptions(rules, used):
    """Returns a complaint for each licence, exception and skipped version that no crate needs.

    >>> unused_exceptions({"licenses": {"allow": ["MIT", "ISC"]}, "bans": {"skip": [{"crate": "syn@2.0.0"}]}}, {"MIT"})
    ['deny.toml: no crate needs licence ISC', 'deny.toml: no crate needs skip syn@2.0.0']
    """
    licences, bans = rules["licenses"], rules["bans"]
    found = [f"deny.toml: no crate needs licence {each}" for each in licences["allow"] if each not in used]
    for exception in licences.get("exceptions", []):
        for licence in exception["allow"]:
            if (exception["crate"], licence) not in used:
                found.append(f"deny.toml: no crate needs exception {exception['crate']} {licence}")
    skipped = [entry["crate"] for entry in bans.get("skip", [])]
    return found + [f"deny.toml: no crate needs skip {each}" for each in skipped if each not in used]


def packages_of(manifest, graph):
    """Returns the crates that `manifest` depends on, on any of the platforms, with all features."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--manifest-path", str(ROOT / manifest)]
    command += ["--all-features"] + [f"--filter-platform={target}" for target in graph["targets"]]
    answer = subprocess.run(command, stdout=subprocess.PIPE)
    if answer.returncode:
        sys.exit(f"dependencies: cargo can't read {manifest}")
    return json.loads(answer.stdout)["packages"]


def main():
    if doctest.testmod().failed:
        sys.exit("dependencies: an example in this program does not hold")
    rules = tomllib.loads((ROOT / "deny.toml").read_text())
    found, used, seen = unknown_settings(rules), set(), set()
    for manifest in MANIFESTS:
        packages = packages_of(manifest, rules["graph"])
        found += check_licences(rules["licenses"], packages, used)
        found += check_bans(rules["bans"], packages, used)
        found += check_sources(packages, ROOT)
        seen |= {package["id"] for package in packages}
    found += unused_exceptions(rules, used)
    for complaint in dict.fromkeys(found):
        print(complaint)
    print(f"dependencies: {len(seen)} crates, {len(dict.fromkeys(found))} complaints")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
