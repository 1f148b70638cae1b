"""An organisation with one of everything, made over HTTP, so that requests can name what exists.

`live` returns an id that exists. `PREPARED` makes path and body for operations that need a resource in a certain state or a
body that fits one.
"""

import base64
import hashlib
import json
import re
import time

import requests

ADDRESS = {"line_1": "1 Quay Street", "city": "Bristol", "post_code": "BS1 4DJ", "country_code": "GB"}
# An identifier: a prefix for its kind, and 128 bits in base 32.
IDENTIFIER = re.compile(r"\b(alloc|batch|ca|car|doc|evt|imp|inv|lc|line|loc|mfst|ord|pa|pj|pky|prn|pt|role|rule|ses|shp|tok|usr|wave|we|whd)_[0-7][0-9a-hjkmnp-tv-z]{25}\b")
# The server limits how many of these an organisation may have.
BOUNDED = {"/carrier_accounts", "/package_types", "/printers", "/roles", "/shipping_rules", "/webhook_endpoints"}
# What both worlds share is changed with a token of the live world, whatever else the run does in the test world.
LIVE_ONLY = ("/users", "/roles", "/sessions", "/passkeys", "/me/password", "/organisation")
# A logo of one pixel.
LOGO = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=="
# Number of purchases in review: one for each phase that resolves one, and some for the stateful phase.
REVIEWS = 12


def to(post_code):
    return {"address": ADDRESS | {"post_code": post_code}}


def parcel(post_code="BS1 4DJ", **more):
    addresses = {"origin": {"address": ADDRESS}, "destination": to(post_code)}
    return {"addresses": addresses, "packages": [{"geometry": {"mass": 1.2}}]} | more


class Organisation:
    """Speaks to the server with a token of its own, past Schemathesis."""

    def __init__(self, address, token, live):
        self.address = address
        self.live_token = live
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"Bearer {token}"
        # Ids that an answer named, and that no answer said to be deleted since.
        self.known = set()
        self.shared = {}
        self.made = 0

    def ask(self, method, path, body=None, **headers):
        answer = self.session.request(method, self.address + path, json=body, headers=headers | self.authorisation(path), timeout=60)
        answer.raise_for_status()
        self.learn(answer.text)
        return answer.json() if answer.content else None

    def authorisation(self, path):
        """Returns the header for paths that take no token of the test world."""
        return {"Authorization": f"Bearer {self.live_token}"} if path.startswith(LIVE_ONLY) else {}

    def learn(self, text):
        self.known.update(found.group() for found in IDENTIFIER.finditer(text))

    def forget(self, identifier):
        self.known.discard(identifier)
        for kind in [kind for kind, shared in self.shared.items() if shared == identifier]:
            del self.shared[kind]

    def make(self, path, body):
        try:
            return self.ask("POST", path, body)["id"]
        except requests.HTTPError as error:
            if error.response.status_code != 409 or path not in BOUNDED:
                raise
            self.make_room(path)
            return self.ask("POST", path, body)["id"]

    def make_room(self, path):
        """Deletes what the run made of a limited resource, except what requests share."""
        kept = {"sandbox", *self.shared.values()}
        for entry in self.ask("GET", f"{path}?limit=100")["data"]:
            if not kept & {entry["id"], entry.get("handle")}:
                # One that is in use stays.
                if self.session.delete(f"{self.address}{path}/{entry['id']}", headers=self.authorisation(path), timeout=60).ok:
                    self.forget(entry["id"])

    def name(self, word):
        self.made += 1
        return f"{word} {self.made}"

    def live(self, kind):
        """Returns an id of this kind that exists, the same one until it is deleted, or None if there is no way to make one."""
        if kind not in self.shared and kind in MADE:
            self.shared[kind] = self.retried(MADE[kind])
        return self.shared.get(kind)

    def retried(self, make):
        """Calls `make`, and again if the server refuses it: the run may have deleted or changed what is shared."""
        try:
            return make(self)
        except requests.HTTPError:
            self.shared.clear()
            return make(self)

    def prepare(self, operation):
        """Returns the path's parameters and the body of a request that this operation accepts."""
        return self.retried(PREPARED[operation])

    def location(self):
        return self.make("/locations", {"name": self.name("Depot"), "address": {"address": ADDRESS}})

    def item(self):
        return self.make("/inventory_items", {"sku": self.name("SKU"), "name": "Blue T-shirt, M", "mass": 0.2})

    def stocked_item(self):
        item = self.item()
        self.ask("PUT", f"/inventory_items/{item}/levels/{self.live('loc')}", {"on_hand": 50})
        return item

    def configuration(self):
        location = {"id": self.live("loc")}
        places = {"origin": location, "return": location}
        return self.make("/location_configurations", {"name": self.name("Bristol"), "locations": places})

    def order(self, status="committed"):
        items = [{"id": self.live("inv"), "quantity": 3}]
        return self.make("/orders", {"status": status, "items": items})

    def waiting_order(self):
        """Makes an order with a line that matches no item, and returns both ids."""
        order = self.ask("POST", "/orders", {"lines": [{"sku": self.name("Unknown"), "quantity": 1}]})
        return order["id"], order["lines"][0]["id"]

    def allocation(self):
        return {"location": {"id": self.live("loc")}, "items": [{"id": self.live("inv"), "quantity": 2}]}

    def allocate(self, order):
        wanted = {"allocations": [self.allocation()]}
        return self.ask("POST", f"/allocations/orders/{order}", wanted)["data"][0]["id"]

    def box(self):
        """Returns the body of a package type."""
        name = self.name("Box")
        inside = {"length": 30, "width": 20, "height": 10}
        return {"name": name, "handle": name.lower().replace(" ", "-"), "inner_dimensions": inside}

    def package_type(self):
        return self.make("/package_types", self.box())

    def shipment(self):
        return self.make("/shipments", parcel())

    def packed_shipment(self):
        """Makes a shipment that says what is inside."""
        items = [{"id": self.live("inv"), "quantity": 2}]
        return self.make("/shipments", parcel(packages=[{"geometry": {"mass": 1.2}, "items": items}]))

    def packed_batch(self):
        return self.make("/batches", {"name": self.name("Packed"), "shipments": [self.packed_shipment()]})

    def rule(self):
        return self.make("/shipping_rules", {"name": self.name("Rule"), "action": {"hold": {"reason": "Look"}}})

    def rule_ids(self):
        """Returns the ids of all rules, in the order of their positions."""
        page = self.ask("GET", "/shipping_rules?limit=100")
        ids = [rule["id"] for rule in page["data"]]
        while page["next_cursor"]:
            page = self.ask("GET", f"/shipping_rules?limit=100&cursor={page['next_cursor']}")
            ids += [rule["id"] for rule in page["data"]]
        return ids

    def seller(self):
        """Returns an account to buy from. The run may rename or disable those that it knows; then `retried` makes another one."""
        if "seller" not in self.shared:
            self.shared["seller"] = self.account(mode="idempotent")
        return self.shared["seller"]

    def choice(self):
        return {"carrier_account": self.seller(), "carrier_service": "standard"}

    def purchased(self, shipment=None):
        shipment = shipment or self.shipment()
        self.ask("POST", f"/shipments/{shipment}/purchase", self.choice())
        return shipment

    def batch(self, shipments=1):
        service = {"carrier_service": {"handle": "standard"}, "carrier_account": {"id": self.seller()}}
        members = [self.shipment() for _ in range(shipments)]
        return self.make("/batches", {"name": self.name("Monday"), "service": service, "shipments": members})

    def purchased_batch(self):
        batch = self.batch()
        self.ask("POST", f"/batches/{batch}/purchase")
        return batch

    def manifest(self):
        return self.ask("POST", f"/batches/{self.purchased_batch()}/manifests")["data"][0]["id"]

    def account(self, **configuration):
        carrier = {"handle": "sandbox"}
        name = self.name("Account")
        body = {"carrier": carrier, "name": name, "handle": name.lower().replace(" ", "-"), "disabled": not configuration}
        return self.make("/carrier_accounts", body | {"configuration": configuration})

    def endpoint(self):
        return self.make("/webhook_endpoints", {"url": "https://receiver.invalid/hook"})

    def delivery(self):
        return self.make(f"/webhook_endpoints/{self.live('we')}/test", None)

    def delivered_event(self):
        """Makes an event and returns its delivery, which can be sent again; a test event's can't. The worker takes a moment."""
        path = f"/webhook_endpoints/{self.live('we')}/deliveries"
        self.location()
        for _ in range(600):
            deliveries = self.ask("GET", path)["data"]
            events = [one["id"] for one in deliveries if one["event_type"] != "webhook_endpoint.test"]
            if events:
                return events[0]
            time.sleep(0.1)
        raise RuntimeError("no event was delivered within a minute")

    def access_token(self):
        return self.make("/access_tokens", {"name": self.name("Scanner"), "scopes": ["locations:read"]})

    def first(self, path):
        return self.ask("GET", path)["data"][0]["id"]

    def file(self):
        documents = self.ask("GET", f"/shipments/{self.purchased()}/documents")["data"]
        return documents[0]["file_url"].rsplit("/", 1)[1]

    def document(self):
        return self.first(f"/shipments/{self.purchased()}/documents")

    def agent_printer(self):
        """Returns the body of a printer that no server connects to."""
        address = "ipp://printer.invalid/ipp/print"
        return {"name": self.name("Printer"), "kind": "ipp", "connection": "agent", "address": address, "formats": ["pdf", "png"]}

    def person(self):
        """Returns the body of a user."""
        name = self.name("Person")
        return {"name": name, "email_address": name.lower().replace(" ", ".") + "@example.com", "roles": ["viewer"]}

    def user(self):
        return self.make("/users", self.person())

    def role(self):
        return self.make("/roles", {"name": self.name("Role"), "scopes": ["orders:read"]})

    def link(self):
        """Returns the token of a sign-in link that was not used."""
        return self.ask("POST", "/users", self.person())["sign_in_link"].split("#")[1]

    def sign_in(self):
        """Returns the id of a session. The cookie is not kept: the run calls with its token."""
        answer = requests.post(self.address + "/sessions", json={"link_token": self.link()}, timeout=60)
        answer.raise_for_status()
        self.learn(answer.text)
        return answer.json()["id"]

    def passkey(self):
        """Returns the id of a passkey of a new person. Nothing is signed when one is added, so any point will do as its key."""
        with requests.Session() as browser:
            browser.headers.update({"Dockside-World": "live", "Sec-Fetch-Site": "same-origin"})

            def send(path, body=None):
                answer = browser.post(self.address + path, json=body, timeout=60)
                answer.raise_for_status()
                return answer.json()

            send("/sessions", {"link_token": self.link()})
            asked = send("/passkeys/challenge")
            host = asked["relying_party_id"]
            origin = f"http://{host}:{self.address.rsplit(':', 1)[1]}"
            client_data = json.dumps({"type": "webauthn.create", "challenge": asked["challenge"], "origin": origin})
            credential = hashlib.sha256(asked["challenge"].encode()).digest()
            # In CBOR: a key of ES256, and the attestation `none` around it.
            key = b"\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20" + b"\x01" * 32 + b"\x22\x58\x20" + b"\x02" * 32
            data = hashlib.sha256(host.encode()).digest() + b"\x45" + bytes(4 + 16) + b"\x00\x20" + credential + key
            attestation = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58" + bytes([len(data)]) + data

            def encoded(content):
                return base64.urlsafe_b64encode(content).decode().rstrip("=")

            made = {"name": self.name("Passkey"), "client_data": encoded(client_data.encode()), "attestation_object": encoded(attestation)}
            identifier = send("/passkeys", made)["id"]
        self.learn(identifier)
        return identifier

    def printer(self):
        return self.make("/printers", self.agent_printer())

    def print_job(self):
        """Makes a job that waits for an agent."""
        return self.make("/print_jobs", {"printer_id": self.live("prn"), "document_ids": [self.live("doc")]})

    def ended_job(self):
        job = self.print_job()
        self.ask("POST", f"/print_jobs/{job}/cancel")
        return job

    def claimed_job(self):
        """Makes a job that an agent has claimed, and returns its id and the fence."""
        printer = self.printer()
        self.make("/print_jobs", {"printer_id": printer, "document_ids": [self.live("doc")]})
        claim = self.ask("POST", "/print_jobs/claim", {"printer_ids": [printer]})["data"][0]
        return claim["print_job"]["id"], claim["fence"]

    def wave(self, order=None, steps=("plan",)):
        """Starts a wave, and waits until it has ended."""
        wave = self.make("/waves", {"order_ids": [order or self.order()], "steps": steps})
        for _ in range(600):
            if self.ask("GET", f"/waves/{wave}")["status"] == "completed":
                return wave
            time.sleep(0.1)
        raise RuntimeError("a wave did not end within a minute")

    def cancelled_wave(self):
        """Starts waves until one is cancelled before it has ended."""
        for _ in range(100):
            orders = [self.order() for _ in range(3)]
            wave = self.make("/waves", {"order_ids": orders, "steps": ["plan"]})
            if self.session.post(f"{self.address}/waves/{wave}/cancel", timeout=60).ok:
                return wave
        raise RuntimeError("no wave was cancelled in time")

    def lose_answers(self):
        """Buys from a carrier that never answers, so that the purchases need review."""
        account = self.account(mode="neither")
        for _ in range(REVIEWS):
            shipment = self.make("/shipments", parcel("SBX-LOST-FOREVER"))
            choice = {"carrier_account": account, "carrier_service": "standard"}
            self.ask("POST", f"/shipments/{shipment}/purchase", choice, Prefer="respond-async")

    def attempt_in_review(self):
        """Returns a purchase attempt that needs review, or any if none does."""
        waiting = self.ask("GET", "/purchase_attempts?state=needs_review&limit=1")["data"]
        return waiting[0]["id"] if waiting else self.live("pa")


# How a resource of each kind comes to be.
MADE = {
    "alloc": lambda org: org.allocate(org.order()),
    "batch": Organisation.batch,
    "ca": Organisation.account,
    "car": lambda org: org.first("/carriers"),
    "doc": Organisation.document,
    "evt": lambda org: org.first("/events"),
    "inv": Organisation.stocked_item,
    "lc": Organisation.configuration,
    "line": lambda org: org.waiting_order()[1],
    "loc": Organisation.location,
    "mfst": Organisation.manifest,
    "ord": Organisation.order,
    "pa": lambda org: org.first("/purchase_attempts"),
    "pj": Organisation.print_job,
    "imp": lambda org: org.make("/imports", {"type": "orders"}),
    "pky": Organisation.passkey,
    "prn": Organisation.printer,
    "pt": Organisation.package_type,
    "role": Organisation.role,
    "rule": Organisation.rule,
    "ses": Organisation.sign_in,
    "shp": Organisation.shipment,
    "tok": Organisation.access_token,
    "usr": Organisation.user,
    "wave": Organisation.wave,
    "we": Organisation.endpoint,
    "whd": Organisation.delivery,
}


def place(org, make, body=None):
    """Returns the order that `make` returns, and a body for it."""
    order = make(org)
    return {"order_id": order}, body(org, order) if body else None


def tested(org):
    """Returns an account that lets its owner in. The test asks for a price from a location."""
    org.location()
    return {"carrier_account_id": org.seller()}, None


def changed(org, order):
    return {"allocations": [{"id": org.allocate(order), "items": [{"id": org.live("inv"), "quantity": 1}]}]}


def allocated_order(org):
    order = org.order()
    org.allocate(order)
    return order


def packable_order(org):
    org.package_type()
    return allocated_order(org)


def shippable(org):
    """Makes an order that can be shipped, and returns its id and a body that ships it, whatever the shipping rules decide."""
    location, item = org.location(), org.item()
    places = {"origin": {"id": location}, "return": {"id": location}}
    org.make("/location_configurations", {"name": org.name("Bristol"), "locations": places})
    org.ask("PUT", f"/inventory_items/{item}/levels/{location}", {"on_hand": 50})
    units = [{"id": item, "quantity": 2}]
    order = org.make("/orders", {"items": units, "destination": to("BS1 4DJ")})
    org.ask("POST", f"/allocations/orders/{order}", {"allocations": [{"location": {"id": location}, "items": units}]})
    return order, {"packages": [{"items": units}], "carrier": {"carrier_code": "sandbox"}}


def order_shipment(org):
    order, body = shippable(org)
    return order, org.ask("POST", f"/orders/{order}/shipments", body)["data"][0]["id"]


def scanned(org):
    """Makes a scan, and returns the path's parameters of it."""
    shipment = org.packed_shipment()
    org.ask("POST", f"/shipments/{shipment}/scans", {"scan_id": "first", "code": org.name("Unknown")})
    return {"shipment_id": shipment, "scan_id": "first"}


def scannable(org):
    return {"shipment_id": org.packed_shipment()}, {"scan_id": "new", "code": org.name("Unknown"), "quantity": 2}


def short(org):
    _, shipment = order_shipment(org)
    item = org.ask("GET", f"/shipments/{shipment}")["packages"][0]["items"][0]["id"]
    return {"shipment_id": shipment}, {"item_id": item, "quantity": 1, "reason": "damaged", "adjust_stock": True}


def exception(org):
    """Makes an order whose allocations were deleted although its shipment was bought."""
    order, shipment = order_shipment(org)
    org.purchased(shipment)
    org.ask("DELETE", f"/allocations/orders/{order}")
    raised = org.ask("GET", f"/orders/{order}")["exceptions"][0]["id"]
    return {"order_id": order, "exception_id": raised}, {"note": "Done"}


def shipped(org):
    order, body = shippable(org)
    return {"order_id": order}, body


def unmatched(org):
    order, line = org.waiting_order()
    return {"order_id": order}, {"line_id": line, "item_id": org.live("inv")}


def filled_batch(org):
    shipment = org.shipment()
    batch = org.make("/batches", {"shipments": [shipment]})
    return {"batch_id": batch}, {"shipments": [shipment]}


def room(org, path, body):
    org.make_room(path)
    return {}, body


def reported(org):
    job, fence = org.claimed_job()
    return {"print_job_id": job}, {"fence": fence, "outcome": "printed"}


def picked_wave(org):
    """Makes a wave with a shipment. Other rules hold orders back, so they are set aside meanwhile."""
    order, _ = shippable(org)
    org.package_type()
    for rule in org.ask("GET", "/shipping_rules?limit=100")["data"]:
        if rule["action"].get("hold") and rule["is_active"]:
            org.ask("PATCH", f"/shipping_rules/{rule['id']}", {"is_active": False})
    org.make("/shipping_rules", {"name": org.name("Wave"), "position": 1, "action": {"service": org.choice()}})
    return {"wave_id": org.wave(order, ["plan", "ship"])}, {"format": "a4"}


def level(org, body):
    return {"inventory_item_id": org.stocked_item(), "location_id": org.live("loc")}, body


# Operations that need more than an id that exists: what makes the path's parameters, and the body if there is one.
PREPARED = {
    "DELETE /access_tokens/{access_token_id}": lambda org: ({"access_token_id": org.access_token()}, None),
    "POST /allocations/orders/{order_id}": lambda org: place(
        org, Organisation.order, lambda org, _: {"allocations": [org.allocation()]}
    ),
    "PATCH /allocations/orders/{order_id}": lambda org: place(org, Organisation.order, changed),
    "DELETE /allocations/orders/{order_id}": lambda org: place(org, allocated_order),
    "POST /allocations/orders/{order_id}/plan": lambda org: place(org, Organisation.order),
    "POST /allocations/orders/{order_id}/pack": lambda org: place(org, packable_order, lambda *_: {}),
    "POST /batches": lambda org: ({}, {"name": org.name("Tuesday"), "shipments": [org.shipment()]}),
    "PATCH /batches/{batch_id}": lambda org: ({"batch_id": org.batch()}, {"name": org.name("Wednesday")}),
    "DELETE /batches/{batch_id}": lambda org: ({"batch_id": org.batch()}, None),
    "POST /batches/{batch_id}/purchase": lambda org: ({"batch_id": org.batch()}, None),
    "POST /batches/{batch_id}/labels": lambda org: ({"batch_id": org.purchased_batch()}, {"format": "pdf"}),
    "POST /batches/{batch_id}/packing_slips": lambda org: ({"batch_id": org.packed_batch()}, {"format": "a4"}),
    "POST /batches/{batch_id}/papers": lambda org: ({"batch_id": org.purchased_batch()}, {"format": "letter"}),
    "POST /batches/{batch_id}/pick_lists": lambda org: ({"batch_id": org.packed_batch()}, {"format": "4x6"}),
    "POST /batches/{batch_id}/manifests": lambda org: ({"batch_id": org.purchased_batch()}, None),
    "PATCH /batches/{batch_id}/shipments": lambda org: ({"batch_id": org.batch()}, {"shipments": [org.shipment()]}),
    "DELETE /batches/{batch_id}/shipments": filled_batch,
    "PUT /branding": lambda org: ({}, {"name": org.name("Brand"), "colour": "#005ca0", "logo": LOGO}),
    "POST /carrier_accounts": lambda org: room(
        org,
        "/carrier_accounts",
        {"carrier": {"handle": "sandbox"}, "name": org.name("Account"), "disabled": True},
    ),
    "PATCH /carrier_accounts/{carrier_account_id}": lambda org: (
        {"carrier_account_id": org.account()},
        {"name": org.name("Account")},
    ),
    "POST /carrier_accounts/{carrier_account_id}/test": tested,
    "DELETE /carrier_accounts/{carrier_account_id}": lambda org: ({"carrier_account_id": org.account()}, None),
    "GET /events/subscription_token": lambda org: ({}, {"channel": "system:announcements"}),
    "POST /events/subscription_token": lambda org: ({}, {"channel": "system:announcements"}),
    "GET /files/{token}": lambda org: ({"token": org.file()}, None),
    "PATCH /inventory_items/{inventory_item_id}": lambda org: ({"inventory_item_id": org.item()}, {"name": "Red T-shirt, M"}),
    "DELETE /inventory_items/{inventory_item_id}": lambda org: ({"inventory_item_id": org.item()}, None),
    "GET /inventory_items/{inventory_item_id}/levels/{location_id}": lambda org: level(org, None),
    "PUT /inventory_items/{inventory_item_id}/levels/{location_id}": lambda org: level(org, {"on_hand": 9}),
    "PATCH /inventory_items/{inventory_item_id}/levels/{location_id}": lambda org: level(org, {"bin": "A-03-2"}),
    "POST /inventory_items/{inventory_item_id}/levels/{location_id}/adjust": lambda org: level(
        org, {"delta": 4, "reason": "delivery"}
    ),
    "GET /inventory_items/{inventory_item_id}/levels/{location_id}/history": lambda org: level(org, None),
    "DELETE /location_configurations/{location_configuration_id}": lambda org: (
        {"location_configuration_id": org.configuration()},
        None,
    ),
    "DELETE /locations/{location_id}": lambda org: ({"location_id": org.location()}, None),
    "POST /manifests": lambda org: ({}, {"location": org.live("loc")}),
    "POST /orders": lambda org: ({}, {"items": [{"id": org.live("inv"), "quantity": 2}]}),
    "PATCH /location_configurations/{location_configuration_id}": lambda org: (
        {"location_configuration_id": org.configuration()},
        {"name": org.name("Leeds")},
    ),
    "PATCH /orders/{order_id}": lambda org: place(org, Organisation.order, lambda org, _: {"metadata": {"shelf": "A3"}}),
    "DELETE /orders/{order_id}": lambda org: place(org, lambda org: org.order("draft")),
    "POST /orders/{order_id}/commit": lambda org: place(org, lambda org: org.order("draft")),
    "POST /orders/{order_id}/cancel": lambda org: place(org, Organisation.order),
    "POST /orders/{order_id}/match": unmatched,
    "POST /orders/{order_id}/notes": lambda org: place(org, Organisation.order, lambda org, _: {"text": "Fragile"}),
    "POST /orders/{order_id}/hold": lambda org: place(org, Organisation.order, lambda org, _: {"reason": "address_check"}),
    "POST /orders/{order_id}/release": lambda org: place(org, Organisation.order),
    "POST /package_types": lambda org: room(org, "/package_types", org.box()),
    "PATCH /package_types/{package_type_id}": lambda org: (
        {"package_type_id": org.package_type()},
        {"name": org.name("Box")},
    ),
    "DELETE /package_types/{package_type_id}": lambda org: ({"package_type_id": org.package_type()}, None),
    "POST /purchase_attempts/{purchase_attempt_id}/resolve": lambda org: (
        {"purchase_attempt_id": org.attempt_in_review()},
        {"outcome": "not_bought"},
    ),
    "POST /shipments": lambda org: ({}, parcel()),
    "PATCH /shipments/{shipment_id}": lambda org: ({"shipment_id": org.shipment()}, {"name": org.name("Parcel")}),
    "DELETE /shipments/{shipment_id}": lambda org: ({"shipment_id": org.shipment()}, None),
    "POST /shipments/{shipment_id}/rates": lambda org: ({"shipment_id": org.shipment()}, None),
    "POST /shipments/{shipment_id}/purchase": lambda org: ({"shipment_id": org.shipment()}, org.choice()),
    "POST /shipments/{shipment_id}/labels": lambda org: ({"shipment_id": org.purchased()}, None),
    "POST /orders/{order_id}/shipments": shipped,
    "POST /orders/{order_id}/exceptions/{exception_id}/resolve": exception,
    "GET /shipments/{shipment_id}/rule_evaluation": lambda org: ({"shipment_id": order_shipment(org)[1]}, None),
    "POST /shipments/{shipment_id}/hand_over": lambda org: ({"shipment_id": org.purchased()}, None),
    "POST /shipments/{shipment_id}/packing_slip": lambda org: ({"shipment_id": org.packed_shipment()}, {"format": "a4"}),
    "POST /shipments/{shipment_id}/papers": lambda org: ({"shipment_id": org.purchased()}, {"format": "4x6"}),
    "POST /shipments/{shipment_id}/void": lambda org: ({"shipment_id": org.purchased()}, None),
    "GET /shipments/{shipment_id}/scans": lambda org: ({"shipment_id": scanned(org)["shipment_id"]}, None),
    "POST /shipments/{shipment_id}/scans": scannable,
    "GET /shipments/{shipment_id}/scans/{scan_id}": lambda org: (scanned(org), None),
    "DELETE /shipments/{shipment_id}/scans/{scan_id}": lambda org: (scanned(org), None),
    "POST /shipments/{shipment_id}/shorts": short,
    "POST /users": lambda org: ({}, org.person()),
    "PATCH /users/{user_id}": lambda org: ({"user_id": org.user()}, {"name": org.name("Person")}),
    "DELETE /users/{user_id}": lambda org: ({"user_id": org.user()}, None),
    "POST /users/{user_id}/disable": lambda org: ({"user_id": org.user()}, None),
    "POST /users/{user_id}/enable": lambda org: ({"user_id": org.user()}, None),
    "POST /users/{user_id}/link": lambda org: ({"user_id": org.user()}, None),
    "POST /users/{user_id}/sign_out": lambda org: ({"user_id": org.user()}, None),
    "PATCH /organisation": lambda org: ({}, {"time_zone": "Europe/London"}),
    "POST /roles": lambda org: room(org, "/roles", {"name": org.name("Role"), "scopes": ["orders:read"]}),
    "PATCH /roles/{role_id}": lambda org: ({"role_id": org.role()}, {"name": org.name("Role")}),
    "DELETE /roles/{role_id}": lambda org: ({"role_id": org.role()}, None),
    "POST /sessions": lambda org: ({}, {"link_token": org.link()}),
    "DELETE /sessions/{session_id}": lambda org: ({"session_id": org.sign_in()}, None),
    "DELETE /passkeys/{passkey_id}": lambda org: ({"passkey_id": org.passkey()}, None),
    "POST /printers": lambda org: room(org, "/printers", org.agent_printer()),
    "PATCH /printers/{printer_id}": lambda org: ({"printer_id": org.printer()}, {"name": org.name("Printer")}),
    "DELETE /printers/{printer_id}": lambda org: ({"printer_id": org.printer()}, None),
    # Its own printer: the run may change the formats and the dpi of the shared one.
    "POST /print_jobs": lambda org: ({}, {"printer_id": org.printer(), "document_ids": [org.live("doc")]}),
    "POST /print_jobs/{print_job_id}/cancel": lambda org: ({"print_job_id": org.print_job()}, None),
    "POST /print_jobs/{print_job_id}/reprint": lambda org: ({"print_job_id": org.ended_job()}, None),
    "POST /print_jobs/claim": lambda org: ({}, {"printer_ids": [org.live("prn")]}),
    "GET /print_jobs/{print_job_id}/content": lambda org: ({"print_job_id": org.claimed_job()[0]}, None),
    "POST /print_jobs/{print_job_id}/result": reported,
    "POST /waves": lambda org: ({}, {"order_ids": [org.order()], "steps": ["plan"]}),
    # An import takes a file once.
    "PUT /imports/{import_id}/content": lambda org: (
        {"import_id": org.make("/imports", {"type": "orders"})},
        "reference,sku,quantity\nA-1,UNKNOWN,1\n",
    ),
    "POST /imports/{import_id}/cancel": lambda org: ({"import_id": org.make("/imports", {"type": "orders"})}, None),
    "POST /waves/{wave_id}/cancel": lambda org: ({"wave_id": org.cancelled_wave()}, None),
    "POST /waves/{wave_id}/retry": lambda org: ({"wave_id": org.wave(org.order("draft"))}, None),
    "POST /waves/{wave_id}/pick_lists": picked_wave,
    "POST /shipping_rules": lambda org: room(
        org,
        "/shipping_rules",
        {"name": org.name("Rule"), "conditions": {"mass": {"max": 2}}, "action": {"hold": {"reason": "Look"}}},
    ),
    "PUT /shipping_rules/order": lambda org: ({}, {"ids": org.rule_ids()}),
    "POST /shipping_rules/evaluate": lambda org: ({}, {"shipment": parcel()}),
    "PATCH /shipping_rules/{shipping_rule_id}": lambda org: ({"shipping_rule_id": org.rule()}, {"name": org.name("Rule")}),
    "DELETE /shipping_rules/{shipping_rule_id}": lambda org: ({"shipping_rule_id": org.rule()}, None),
    "POST /webhook_endpoints": lambda org: room(org, "/webhook_endpoints", {"url": "https://receiver.invalid/hook"}),
    "PATCH /webhook_endpoints/{webhook_endpoint_id}": lambda org: (
        {"webhook_endpoint_id": org.endpoint()},
        {"description": org.name("Endpoint")},
    ),
    "DELETE /webhook_endpoints/{webhook_endpoint_id}": lambda org: ({"webhook_endpoint_id": org.endpoint()}, None),
    "POST /webhook_endpoints/{webhook_endpoint_id}/test": lambda org: ({"webhook_endpoint_id": org.endpoint()}, None),
    "POST /webhook_endpoints/{webhook_endpoint_id}/rotate_secret": lambda org: (
        {"webhook_endpoint_id": org.endpoint()},
        None,
    ),
    "POST /webhook_endpoints/{webhook_endpoint_id}/replay": lambda org: (
        {"webhook_endpoint_id": org.endpoint()},
        {"after_sequence": 0},
    ),
    "GET /webhook_endpoints/{webhook_endpoint_id}/deliveries/{webhook_delivery_id}": lambda org: (
        {"webhook_endpoint_id": org.live("we"), "webhook_delivery_id": org.delivery()},
        None,
    ),
    "POST /webhook_endpoints/{webhook_endpoint_id}/deliveries/{webhook_delivery_id}/replay": lambda org: (
        {"webhook_endpoint_id": org.live("we"), "webhook_delivery_id": org.delivered_event()},
        None,
    ),
}
