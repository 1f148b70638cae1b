"""Writes what is compiled into the program: a bill of materials in CycloneDX 1.5, and the texts of the libraries' licences.

    python3 checks/scripts/sbom.py TARGET SBOM NOTICES

TARGET is the platform, such as x86_64-unknown-linux-musl: some libraries are for some platforms only. Everything comes from Cargo.lock, from what
`cargo metadata` says, and from the sources that cargo has unpacked, so nothing is asked of the network. The files are the same for the same commit.

The examples below are tests, which run first.
"""

import datetime
import doctest
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tomllib
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = "dockside"
LICENCE = re.compile(r"(?i)(licen[cs]e|copying|notice|unlicense).*")


def metadata(target):
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target]
    return json.loads(subprocess.run(command, check=True, capture_output=True, cwd=ROOT).stdout)


def compiled_in(nodes, start):
    """Returns the ids of the packages that a package needs when it runs: not those that only build or test it.

    >>> edge = lambda name, kind: {"pkg": name, "dep_kinds": [{"kind": kind}]}
    >>> nodes = {"a": [edge("b", None), edge("c", "dev"), edge("d", "build")], "b": [edge("e", None)], "e": []}
    >>> sorted(compiled_in(nodes, "a"))
    ['a', 'b', 'e']
    """
    found, waiting = {start}, [start]
    while waiting:
        for edge in nodes[waiting.pop()]:
            is_linked = any(kind["kind"] is None for kind in edge["dep_kinds"])
            if is_linked and edge["pkg"] not in found:
                found.add(edge["pkg"])
                waiting.append(edge["pkg"])
    return found


def purl(package):
    """Returns the address of a package as others name it.

    >>> purl({"name": "ring", "version": "0.17.8"})
    'pkg:cargo/ring@0.17.8'
    """
    return f"pkg:cargo/{package['name']}@{package['version']}"


def component(package, checksums):
    kind = "application" if package["name"] == PROGRAM else "library"
    described = {"type": kind, "bom-ref": purl(package), "name": package["name"], "version": package["version"], "purl": purl(package)}
    if licence := package.get("license"):
        # Before SPDX's `OR`, packages wrote a slash.
        described["licenses"] = [{"expression": licence.replace("/", " OR ") if " OR " not in licence else licence}]
    if checksum := checksums.get((package["name"], package["version"])):
        described["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    return described


def epoch():
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(given)
    return int(subprocess.run(["git", "log", "-1", "--format=%ct"], check=True, capture_output=True, cwd=ROOT).stdout)


def bill(target, packages, nodes, root_package):
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())
    checksums = {(each["name"], each["version"]): each.get("checksum") for each in lock["package"]}
    components = [component(package, checksums) for key, package in packages.items() if key != root_package]
    dependencies = []
    for key, package in packages.items():
        needed = sorted(purl(packages[edge["pkg"]]) for edge in nodes[key] if edge["pkg"] in packages)
        dependencies.append({"ref": purl(package), "dependsOn": needed})
    time = datetime.datetime.fromtimestamp(epoch(), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    content = {
        "metadata": {
            "timestamp": time,
            "component": component(packages[root_package], checksums),
            "properties": [{"name": "dockside:target", "value": target}],
        },
        "components": sorted(components, key=lambda each: each["bom-ref"]),
        "dependencies": sorted(dependencies, key=lambda each: each["ref"]),
    }
    # Made of the content, so that the same content has the same number.
    number = uuid.UUID(hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32], version=4)
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "serialNumber": f"urn:uuid:{number}", "version": 1, **content}


def notices(packages):
    """Returns the texts of the licences of others, each once, with the packages that have it."""
    texts, without = {}, []
    for package in sorted(packages.values(), key=lambda each: (each["name"], each["version"])):
        if package["source"] is None:
            continue
        label = f"{package['name']} {package['version']} ({package.get('license') or 'see its text'})"
        folder = pathlib.Path(package["manifest_path"]).parent
        found = sorted(path for path in folder.iterdir() if path.is_file() and LICENCE.fullmatch(path.name))
        if not found:
            without.append(label)
        for path in found:
            texts.setdefault(path.read_text(errors="replace").strip(), []).append(label)
    lines = ["Libraries that are compiled into Dockside, and their licences", ""]
    for text, labels in sorted(texts.items(), key=lambda each: each[1]):
        lines += ["=" * 80, *dict.fromkeys(labels), "", text, ""]
    if without:
        lines += ["=" * 80, "These packages have no text of a licence in them; the names of their licences are those that they state:", "", *without, ""]
    return "\n".join(lines)


def main():
    if doctest.testmod().failed:
        sys.exit("sbom: an example in this program does not hold")
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    target, sbom, texts = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    found = metadata(target)
    root_package = next(each["id"] for each in found["packages"] if each["name"] == PROGRAM)
    nodes = {node["id"]: node["deps"] for node in found["resolve"]["nodes"]}
    wanted = compiled_in(nodes, root_package)
    packages = {each["id"]: each for each in found["packages"] if each["id"] in wanted}
    sbom.write_text(json.dumps(bill(target, packages, nodes, root_package), indent=2) + "\n")
    texts.write_text(notices(packages))
    print(f"sbom: {len(packages)} packages")


if __name__ == "__main__":
    main()
