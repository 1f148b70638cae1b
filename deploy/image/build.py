"""Builds the container image of a program that is there already, from nothing: without a base image and without a container engine.

    python3 deploy/image/build.py BINARY VERSION ARCHIVE

ARCHIVE is a tar archive with an image layout of OCI, which podman, skopeo and buildah read, and with the `manifest.json` that
`docker load` reads. Two builds of the same files are equal, byte by byte, if SOURCE_DATE_EPOCH is the same; without it, the time of the
last commit is used. IMAGE_COMPRESSION is a level of gzip; the default compresses well and slowly.

The image has the program, the libraries that it is linked with (none if it is static), the authorities that this machine trusts,
and an empty data folder of the user 65532. It has no shell, so `dockside health` is its health check.
"""

import datetime
import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# A user that no system has, and that many images without a shell have.
USER = 65532
DATA = "/var/lib/dockside"
AUTHORITIES = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
ARCHITECTURES = {"X86-64": "amd64", "AArch64": "arm64"}
SECOND = 1_000_000_000
# From 1, fast, to 9, small.
COMPRESSION = int(os.environ.get("IMAGE_COMPRESSION", "9"))


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}).stdout


def epoch(binary):
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(given)
    try:
        return int(run("git", "-C", str(ROOT), "log", "-1", "--format=%ct"))
    except (OSError, subprocess.CalledProcessError):
        return int(binary.stat().st_mtime)


def architecture(binary):
    machine = re.search(r"Machine:.*?(X86-64|AArch64)", run("readelf", "--file-header", str(binary)))
    if machine is None:
        sys.exit(f"build.py: {binary} is for a machine that has no image")
    return ARCHITECTURES[machine[1]]


def stripped(binary):
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "dockside"
        run("strip", "--strip-unneeded", "-o", str(copy), str(binary))
        return copy.read_bytes()


def libraries(binary):
    """Returns the paths of the libraries that the program is linked with, its loader among them."""
    if "NEEDED" not in run("readelf", "--dynamic", str(binary)):
        return []
    listed = run("ldd", str(binary))
    if "not found" in listed:
        sys.exit(f"build.py: a library is missing here:\n{listed}")
    return sorted(set(re.findall(r"(/\S+) \(0x", listed)))


def files(binary):
    """Returns the image's folders (content None) and files: path, mode, owner, content."""
    yield DATA, 0o700, USER, None
    yield "/usr/bin/dockside", 0o755, 0, stripped(binary)
    for path in libraries(binary):
        yield path, 0o755, 0, pathlib.Path(path).read_bytes()
    if AUTHORITIES.exists():
        yield str(AUTHORITIES), 0o644, 0, AUTHORITIES.read_bytes()
    # Programs that ask for the name of their user find one.
    yield "/etc/passwd", 0o644, 0, f"dockside:x:{USER}:{USER}:Dockside:{DATA}:/nonexistent\n".encode()
    yield "/etc/group", 0o644, 0, f"dockside:x:{USER}:\n".encode()


def layer(binary, time):
    """Returns the only layer, uncompressed."""
    entries = {path: (mode, owner, content) for path, mode, owner, content in files(binary)}
    for path in list(entries):
        for parent in pathlib.PurePosixPath(path).parents:
            if str(parent) != "/":
                entries.setdefault(str(parent), (0o755, 0, None))
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path, (mode, owner, content) in sorted(entries.items()):
            entry = tarfile.TarInfo(path.lstrip("/"))
            entry.type = tarfile.DIRTYPE if content is None else tarfile.REGTYPE
            entry.mode, entry.uid, entry.gid, entry.mtime = mode, owner, owner, time
            entry.size = len(content or b"")
            archive.addfile(entry, io.BytesIO(content or b""))
    return buffer.getvalue()


def settings(version, commit_time):
    """Returns how the image is started. `Healthcheck` is Docker's; engines that follow OCI alone ignore it."""
    return {
        "User": f"{USER}:{USER}",
        "ExposedPorts": {"8080/tcp": {}},
        "Env": ["PATH=/usr/bin", f"DOCKSIDE_DATA={DATA}", "DOCKSIDE_LISTEN=:8080"],
        "Entrypoint": ["/usr/bin/dockside"],
        "Cmd": ["serve"],
        "WorkingDir": DATA,
        "Volumes": {DATA: {}},
        "StopSignal": "SIGTERM",
        "Healthcheck": {
            "Test": ["CMD", "/usr/bin/dockside", "health"],
            "Interval": 10 * SECOND,
            "Timeout": 10 * SECOND,
            "StartPeriod": 30 * SECOND,
            "Retries": 3,
        },
        "Labels": {
            "org.opencontainers.image.title": "Dockside",
            "org.opencontainers.image.description": "Self-hosted shipping and fulfilment",
            "org.opencontainers.image.version": version,
            "org.opencontainers.image.created": commit_time,
            "org.opencontainers.image.licenses": "Apache-2.0",
        },
    }


def digest(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


def blob_path(content):
    return "blobs/sha256/" + hashlib.sha256(content).hexdigest()


def to_json(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def image(binary, version, time):
    """Returns the files of the archive, by their paths."""
    created = datetime.datetime.fromtimestamp(time, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    plain = layer(binary, time)
    packed = gzip.compress(plain, compresslevel=COMPRESSION, mtime=0)
    platform = {"architecture": architecture(binary), "os": "linux"}
    config = to_json({
        **platform,
        "created": created,
        "config": settings(version, created),
        "rootfs": {"type": "layers", "diff_ids": [digest(plain)]},
        "history": [{"created": created, "created_by": "deploy/image/build.py"}],
    })

    def described(kind, content, **more):
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": digest(content), "size": len(content), **more}

    manifest = to_json({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": described("config.v1+json", config),
        "layers": [described("layer.v1.tar+gzip", packed)],
    })
    name = {"org.opencontainers.image.ref.name": version}
    index = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [described("manifest.v1+json", manifest, platform=platform, annotations=name)],
    }
    for_docker = [{"Config": blob_path(config), "RepoTags": [f"dockside:{version}"], "Layers": [blob_path(packed)]}]
    return {
        "oci-layout": to_json({"imageLayoutVersion": "1.0.0"}),
        "index.json": to_json(index),
        "manifest.json": to_json(for_docker),
        **{blob_path(content): content for content in (packed, config, manifest)},
    }


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    binary, version, archive = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    time = epoch(binary)
    with tarfile.open(archive, "w", format=tarfile.USTAR_FORMAT) as out:
        for path, content in sorted(image(binary, version, time).items()):
            entry = tarfile.TarInfo(path)
            entry.size, entry.mtime, entry.mode = len(content), time, 0o644
            out.addfile(entry, io.BytesIO(content))
    print(archive)


if __name__ == "__main__":
    main()
