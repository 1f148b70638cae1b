"""Printing on printers that others wrote. What came out of each is compared with the label, byte by byte, and its barcode is read.

    check.py BINARY WORK

A network namespace stands for the warehouse: its printer is reached by the print agent inside, and not by the server outside. Where
namespaces are not permitted, that part is skipped, and the last line says so.
"""

import contextlib
import os
import pathlib
import re
import subprocess
import sys
import time

from program import Api, Process, fail, free_port, wait_until

binary, work = sys.argv[1], pathlib.Path(sys.argv[2])
ADDRESS = {"line_1": "1 Quay Street", "city": "Bristol", "post_code": "BS1 4DJ", "country_code": "GB"}
# The network between the server and the warehouse, from a block for tests of this kind; and the printer, which is on the loopback of
# the warehouse. At the same address outside there is nothing.
OUTSIDE, INSIDE, PRINTER = "198.18.77.1", "198.18.77.2", "127.0.0.9"
NAMESPACE = f"dockside-{os.getpid()}"
# A printer that takes bytes as they are, and keeps what came on each connection.
RAW_PRINTER = """
import pathlib, socket, sys
address, folder = sys.argv[1], pathlib.Path(sys.argv[2])
listener = socket.create_server((address, 9100))
print("ready", flush=True)
number = 0
while True:
    connection, _ = listener.accept()
    parts = []
    while part := connection.recv(65536):
        parts.append(part)
    number += 1
    (folder / f"{number}.part").write_bytes(b"".join(parts))
    (folder / f"{number}.part").rename(folder / f"{number}.zpl")
    connection.close()
"""
CUPSD = """
Listen 127.0.0.1:{port}
Browsing No
WebInterface No
DefaultAuthType None
PreserveJobHistory Yes
<Location />
  Order allow,deny
  Allow all
</Location>
<Location /admin>
  Order allow,deny
  Allow all
</Location>
<Policy default>
  <Limit All>
    Order deny,allow
  </Limit>
</Policy>
"""
CUPS_FILES = """
ServerRoot {folder}/root
RequestRoot {folder}/spool
StateDir {folder}/state
CacheDir {folder}/cache
TempDir {folder}/tmp
AccessLog {folder}/access_log
ErrorLog {folder}/error_log
PageLog {folder}/page_log
"""


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        fail(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


class Labels:
    """An organisation that buys labels and prints them."""

    def __init__(self, port):
        create = ["token", "create", "--organisation", "Printing", "--create-organisation", "--user", "a@example.com", "--test"]
        self.token = lambda *more: subprocess.check_output([binary, *create, *more], cwd=work, text=True).strip()
        self.api = Api(port, self.token())
        self.jobs = self.barcodes = 0

    def buy(self, label_format):
        """A label: its id, its bytes and its tracking number."""
        addresses = {"origin": {"address": ADDRESS}, "destination": {"address": ADDRESS}}
        body = {"addresses": addresses, "packages": [{"geometry": {"mass": 1.2}}], "options": {"label": {"format": label_format}}}
        shipment = self.api("POST", "/shipments", body)["id"]
        choice = {"carrier_account": "sandbox", "carrier_service": "standard"}
        self.api("POST", f"/shipments/{shipment}/purchase", choice)
        bought = wait_until("a shipment is bought", lambda: self.bought(shipment))
        document = self.api("GET", f"/shipments/{shipment}/documents")["data"][0]
        path = re.sub(r"^https?://[^/]+", "", document["file_url"])
        _, _, content = self.api.ask("GET", path)
        return document["id"], content, bought["tracking_number"]

    def bought(self, shipment):
        seen = self.api("GET", f"/shipments/{shipment}")
        return seen if seen["status"] == "purchased" else None

    def print(self, printer, document, expected="printed", copies=1):
        """Prints a document, and waits for the end of its job."""
        body = {"printer_id": printer, "document_ids": [document], "copies": copies}
        job = self.api("POST", "/print_jobs", body)["id"]
        ended = wait_until("a job ends", lambda: self.ended(job), lambda: self.api("GET", f"/print_jobs/{job}"))
        if ended["status"] != expected:
            fail(f"a job is {ended['status']} instead of {expected}: {ended['message']}")
        self.jobs += 1
        return job

    def ended(self, job):
        seen = self.api("GET", f"/print_jobs/{job}")
        return None if seen["status"] in ("queued", "sending") else seen

    def check(self, what, printed, content, number):
        """Compares what came out with the label, and reads its barcode."""
        if printed.read_bytes() != content:
            fail(f"{what} printed something other than the label: {printed}")
        image = printed.with_suffix("")
        run("pdftoppm", "-r", "203", "-gray", "-singlefile", printed, image)
        read = run("zbarimg", "--nodbus", "--quiet", "--raw", image.with_suffix(".pgm")).split()
        if not any(number in code for code in read):
            fail(f"{what}: the barcode of {number} was not read on {image}: {read}")
        self.barcodes += 1


def start_server():
    networks = "--printer-networks=127.0.0.0/8,::1/128"
    server = Process([binary, "serve", "--listen", "0.0.0.0:0", networks], cwd=work)
    match = server.wait_for("the server listens", re.compile(r"listening on http://[^ ]*:(\d+)").search)
    return server, int(match[1])


def start_ippeveprinter(stack, media_type):
    """It announces itself over D-Bus, so it gets a bus of its own. Nothing is on that bus."""
    name = media_type.rpartition("/")[2]
    bus, spool, port = work / f"bus-{name}", work / f"ippeveprinter-{name}", free_port()
    spool.mkdir()
    daemon = Process(["dbus-daemon", "--session", "--nofork", "--print-address", f"--address=unix:path={bus}"])
    stack.callback(daemon.stop)
    daemon.wait_for("a bus", re.compile("unix:path=").search)
    command = ["ippeveprinter", "-p", str(port), "-n", "localhost", "-r", "off", "-k", "-d", str(spool), "-f", media_type, "Label"]
    printer = Process(command, env=os.environ | {"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={bus}"})
    stack.callback(printer.stop)
    return printer, f"ipp://localhost:{port}/ipp/print", spool


def start_cups(stack, device):
    """A queue that hands on what it gets to a printer, as it is."""
    folder, port = work / "cups", free_port() + 1
    for name in ("root", "spool", "state", "cache", "tmp"):
        (folder / name).mkdir(parents=True)
    (folder / "cupsd.conf").write_text(CUPSD.format(port=port))
    (folder / "cups-files.conf").write_text(CUPS_FILES.format(folder=folder))
    daemon = Process(["/usr/sbin/cupsd", "-f", "-c", str(folder / "cupsd.conf"), "-s", str(folder / "cups-files.conf")])
    stack.callback(daemon.stop)
    add = ["lpadmin", "-h", f"127.0.0.1:{port}", "-p", "labels", "-E", "-v", device, "-m", "raw"]
    wait_until("CUPS makes a queue", lambda: subprocess.run(add, capture_output=True).returncode == 0)
    return f"ipp://127.0.0.1:{port}/printers/labels"


def enter_warehouse(stack):
    """Makes a namespace with a way to the server. Gives the beginning of commands inside, or None where that is not permitted."""
    if subprocess.run(["ip", "netns", "add", NAMESPACE], capture_output=True).returncode:
        return None
    stack.callback(subprocess.run, ["ip", "netns", "del", NAMESPACE], check=False)
    inside = ["ip", "netns", "exec", NAMESPACE]
    link = f"dk{os.getpid()}"
    run("ip", "link", "add", link, "type", "veth", "peer", "name", "way-out", "netns", NAMESPACE)
    run("ip", "address", "add", f"{OUTSIDE}/30", "dev", link)
    run("ip", "link", "set", link, "up")
    run(*inside, "ip", "address", "add", f"{INSIDE}/30", "dev", "way-out")
    run(*inside, "ip", "link", "set", "way-out", "up")
    run(*inside, "ip", "link", "set", "lo", "up")
    return inside


def check_ipp(labels, stack):
    """Prints a PDF on ippeveprinter, and through a queue of CUPS."""
    document, content, number = labels.buy("pdf")
    _, address, spool = start_ippeveprinter(stack, "application/pdf")
    body = {"name": "Everywhere", "kind": "ipp", "address": address, "formats": ["pdf"]}
    printer = labels.api("POST", "/printers", body)["id"]
    job = labels.print(printer, document)
    printed = wait_until("ippeveprinter keeps the document", lambda: next(spool.glob("*.pdf"), None))
    labels.check("ippeveprinter", printed, content, number)
    again = labels.api("POST", f"/print_jobs/{job}/reprint")["id"]
    wait_until("a reprint ends", lambda: (labels.ended(again) or {}).get("status") == "printed")
    labels.jobs += 1
    if len(list(spool.glob("*.pdf"))) != 2:
        fail(f"ippeveprinter printed {len(list(spool.glob('*.pdf')))} documents instead of 2")

    before = set(spool.glob("*.pdf"))
    address = start_cups(stack, address)
    printer = labels.api("POST", "/printers", {**body, "name": "CUPS", "address": address})["id"]
    document, content, number = labels.buy("pdf")
    labels.print(printer, document)
    paper = wait_until("CUPS hands the document on", lambda: next(iter(set(spool.glob("*.pdf")) - before), None))
    labels.check("CUPS", paper, content, number)
    # A queue that is not there may be there later, so its job waits.
    missing = {**body, "name": "Nowhere", "address": address.replace("labels", "nothing")}
    printer = labels.api("POST", "/printers", missing)["id"]
    waits = labels.api("POST", "/print_jobs", {"printer_id": printer, "document_ids": [document]})["id"]
    tried = lambda: labels.api("GET", f"/print_jobs/{waits}")["tries"] == 1 and labels.api("GET", f"/print_jobs/{waits}")["message"]
    wait_until("a queue that is not there is tried", tried)
    labels.api("POST", f"/print_jobs/{waits}/cancel")


def read_pwg(content):
    """The pages of a file in PWG raster, each as its resolution, its width and its rows of greys (PWG 5102.4)."""
    if content[:4] != b"RaS2":
        fail(f"it is no PWG raster: {content[:16]}")
    at, pages = 4, []
    while at < len(content):
        header = content[at : at + 1796]
        at += len(header)
        number = lambda place: int.from_bytes(header[place : place + 4], "big")
        if header[:10] != b"PwgRaster\0" or [number(place) for place in (384, 388, 400, 420)] != [8, 8, 18, 1]:
            fail("a page of PWG raster is not in greys of 8 bits")
        width, height, rows = number(372), number(376), []
        while len(rows) < height:
            repeats, row = content[at] + 1, b""
            at += 1
            while len(row) < width:
                count = content[at]
                if count < 128:
                    row += content[at + 1 : at + 2] * (count + 1)
                    at += 2
                else:
                    row += content[at + 1 : at + 258 - count]
                    at += 258 - count
            rows += [row] * repeats
        if len(rows) != height or any(len(row) != width for row in rows):
            fail("rows of PWG raster do not end with the page")
        pages.append((number(276), width, rows))
    return pages


def check_pwg(labels, stack):
    """Prints labels on an ippeveprinter that takes PWG raster only, and reads their barcodes in the rows."""
    _, address, spool = start_ippeveprinter(stack, "image/pwg-raster")
    body = {"name": "Raster", "kind": "ipp", "address": address, "formats": ["pwg"], "dpi": 300}
    printer = labels.api("POST", "/printers", body)["id"]
    for label_format in ("zpl", "pdf"):
        before = set(spool.iterdir())
        document, _, number = labels.buy(label_format)
        labels.print(printer, document)
        printed = wait_until("ippeveprinter keeps the raster", lambda: next(iter(set(spool.iterdir()) - before), None))
        pages = read_pwg(printed.read_bytes())
        dpi, width, rows = pages[0]
        if (len(pages), dpi, width, len(rows)) != (1, 300, 1200, 1800):
            fail(f"a label became {len(pages)} pages of {width} by {len(rows)} dots at {dpi} dpi")
        image = work / f"raster-{label_format}.pgm"
        image.write_bytes(b"P5 %d %d 255\n" % (width, len(rows)) + b"".join(rows))
        read = run("zbarimg", "--nodbus", "--quiet", "--raw", image).split()
        if not any(number in code for code in read):
            fail(f"the barcode of {number} was not read in the rows of {image}: {read}")
        labels.barcodes += 1


def check_agent(labels, server_port, stack):
    """Prints ZPL on a printer that only the agent reaches. Returns whether it could be tried."""
    inside = enter_warehouse(stack)
    if inside is None:
        return False
    folder = work / "warehouse"
    folder.mkdir()
    printer = Process([*inside, sys.executable, "-c", RAW_PRINTER, PRINTER, str(folder)])
    stack.callback(printer.stop)
    printer.wait_for("the printer in the warehouse", re.compile("ready").search)
    document, content, _ = labels.buy("zpl")
    body = {"name": "Warehouse", "kind": "raw", "connection": "agent", "address": PRINTER, "formats": ["zpl"]}
    made = labels.api("POST", "/printers", body)["id"]
    token = labels.token("--scopes", "print_jobs:write printers:read")
    agent = [binary, "print-agent", "--server", f"http://{OUTSIDE}:{server_port}", "--printer-networks", f"{PRINTER}/32"]
    # Out here, where there is no way to the printer, an agent reports that.
    lost = Process(agent, env=os.environ | {"DOCKSIDE_TOKEN": token})
    job = labels.api("POST", "/print_jobs", {"printer_id": made, "document_ids": [document]})["id"]
    wait_until("an agent without a way reports it", lambda: labels.api("GET", f"/print_jobs/{job}")["message"], lambda: lost.lines)
    lost.stop()
    if list(folder.glob("*.zpl")):
        fail("the printer in the warehouse is reached from outside")
    helper = Process([*inside, *agent], env=os.environ | {"DOCKSIDE_TOKEN": token})
    stack.callback(helper.stop)
    labels.print(made, document, copies=2)
    wait_until("the job that waited is printed", lambda: (labels.ended(job) or {}).get("status") == "printed", lambda: helper.lines)
    labels.jobs += 1
    printed = sorted(path.read_bytes() for path in folder.glob("*.zpl"))
    if printed != sorted([content, content * 2]):
        fail(f"the printer in the warehouse got {[len(part) for part in printed]} bytes, not {len(content)} and twice that")
    return True


def main():
    begun = time.monotonic()
    with contextlib.ExitStack() as stack:
        server, port = start_server()
        stack.callback(server.stop)
        labels = Labels(port)
        check_ipp(labels, stack)
        check_pwg(labels, stack)
        has_agent = check_agent(labels, port, stack)
    if any("panicked at" in line for line in server.lines):
        fail("the server panicked:\n" + "\n".join(server.lines))
    (work / "server.log").write_text("\n".join(server.lines) + "\n")
    agent = "an agent in a network of its own printed" if has_agent else "SKIPPED the agent: network namespaces are not permitted here"
    printers = 4 if has_agent else 3
    seconds = time.monotonic() - begun
    print(f"printing: {printers} printers, {labels.jobs} jobs, {labels.barcodes} barcodes read; {agent}; {seconds:.0f} s")


main()
