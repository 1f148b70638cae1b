"""The container image: built twice and compared, read by skopeo and umoci, and started by crun as compose.yaml starts it: with a read-only
root, without privileges, as a user that is not root."""

import json
import os
import pathlib
import sys
import tempfile

from checks import DEPLOY, VERSION, can, environment, holds, run
from program import Process, wait_until

USER = 65532
DATA = "/var/lib/dockside"


def build(binary, archive):
    # Compressed fast: what is checked does not depend on it.
    run(sys.executable, DEPLOY / "image/build.py", binary, VERSION, archive, env=environment(IMAGE_COMPRESSION="1"))
    return archive


def check_archive(binary, work):
    """Returns the folder with the image's layout. A release names the image that is tried."""
    archive = build(binary, work / "image.tar")
    if released := os.environ.get("DOCKSIDE_RELEASED_IMAGE"):
        archive = pathlib.Path(released)
    else:
        again = build(binary, work / "again.tar")
        holds("two builds of the image are equal", archive.read_bytes() == again.read_bytes())
        again.unlink()
    # skopeo compares every digest while it copies.
    layout = work / "layout"
    run("skopeo", "copy", "--quiet", f"oci-archive:{archive}:{VERSION}", f"oci:{layout}:{VERSION}")
    run("skopeo", "copy", "--quiet", f"docker-archive:{archive}:dockside:{VERSION}", f"oci:{work / 'docker'}:{VERSION}")
    holds("podman and docker can load the archive", True)
    config = json.loads(run("skopeo", "inspect", "--config", "--raw", f"oci:{layout}:{VERSION}"))
    settings = config["config"]
    holds("the image does not run as root", settings["User"] == f"{USER}:{USER}", settings)
    holds("the image starts the server", settings["Entrypoint"] + settings["Cmd"] == ["/usr/bin/dockside", "serve"], settings)
    holds("the image has a health check", settings["Healthcheck"]["Test"] == ["CMD", "/usr/bin/dockside", "health"], settings)
    holds("the image has one layer", len(config["rootfs"]["diff_ids"]) == 1)
    return layout


def unpack(layout, work):
    bundle = work / "bundle"
    run("umoci", "unpack", "--image", f"{layout}:{VERSION}", bundle)
    root = bundle / "rootfs"
    files = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
    others = [path for path in files if not path.startswith(("usr/bin/dockside", "lib", "usr/lib", "etc/"))]
    holds("the image has the program, its libraries, names of users and authorities", "usr/bin/dockside" in files and not others, others)
    folder = (root / DATA.lstrip("/")).stat()
    holds("the data folder is for the image's user alone", (folder.st_uid, folder.st_mode & 0o777) == (USER, 0o700), oct(folder.st_mode))
    return bundle


def restrict(bundle, data):
    """Sets in the bundle what compose.yaml asks of an engine."""
    path = bundle / "config.json"
    config = json.loads(path.read_text())
    process = config["process"]
    process.update(terminal=False, noNewPrivileges=True)
    process["capabilities"] = {name: [] for name in process["capabilities"]}
    config["root"]["readonly"] = True
    config["mounts"] = [mount for mount in config["mounts"] if mount["destination"] not in (DATA, "/sys/fs/cgroup")]
    config["mounts"].append({"destination": DATA, "type": "bind", "source": str(data), "options": ["rbind", "rw"]})
    path.write_text(json.dumps(config))


class Container:
    """The image, started by crun. crun wants control groups of version 2, so it gets them, and uses none."""

    def __init__(self, bundle, work):
        script = 'mount --make-rprivate / && mount -t cgroup2 cgroup2 /sys/fs/cgroup && exec "$@"'
        self.crun = ["unshare", "--mount", "sh", "-c", script, "sh", "crun", "--root", str(work / "crun"), "--cgroup-manager=disabled"]
        self.name = f"dockside-{os.getpid()}"
        # crun would run it as root; docker and podman take the user of the image.
        self.inside = [*self.crun, "exec", f"--user={USER}:{USER}", self.name]
        self.process = Process([*self.crun, "run", "--bundle", str(bundle), self.name])

    def run(self, *command):
        return run(*self.inside, *command)

    def can(self, *command):
        return can(*self.inside, *command)

    def id(self):
        return json.loads(run(*self.crun, "state", self.name))["pid"]

    def stop(self):
        run(*self.crun, "kill", self.name, "TERM")
        return self.process.child.wait(timeout=40)

    def delete(self):
        can(*self.crun, "delete", "--force", self.name)


def check_container(bundle, work):
    # The user of the image passes through to it.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        data = pathlib.Path(folder)
        os.chown(data, USER, USER)
        restrict(bundle, data)
        container = Container(bundle, work)
        try:
            told = lambda: "\n".join(container.process.lines)
            container.process.wait_for("the server in the container listens", lambda line: "listening on" in line)
            wait_until("the health check succeeds", lambda: container.can("/usr/bin/dockside", "health"), told)
            holds("the health check fails where no server is", not container.can("/usr/bin/dockside", "health", "--url", "http://127.0.0.1:1"))
            status = pathlib.Path(f"/proc/{container.id()}/status").read_text()
            for line in (f"Uid:\t{USER}\t{USER}", "NoNewPrivs:\t1", "CapEff:\t0000000000000000"):
                holds(f"the server in the container has {line}", line in status, status)
            mounts = pathlib.Path(f"/proc/{container.id()}/mountinfo").read_text()
            holds("its root is read-only", any(line.split()[4:6][0] == "/" and "ro" in line.split()[5].split(",") for line in mounts.splitlines()), mounts)
            invited = container.run("/usr/bin/dockside", "user", "invite", "--organisation", "Default", "--user", "admin@localhost")
            holds("a link to sign in is made in the container", "http" in invited, invited)
            holds("its data is on the volume", (data / "dockside.db").exists())
            bad = [line for line in container.process.lines if '"level":"error"' in line]
            holds("its log has no errors", not bad, told())
            holds("it ends at SIGTERM", container.stop() == 0, told())
        finally:
            # Also if a check failed: its processes have no parent that ends them.
            container.delete()


def check(binary, work):
    """Returns how the parts that depend on the machine went."""
    layout = check_archive(binary, work)
    if os.geteuid() != 0 or not can("unshare", "--mount", "--pid", "--fork", "true"):
        return "image not started: this takes root and namespaces"
    bundle = unpack(layout, work)
    check_container(bundle, work)
    return "image started by crun"
