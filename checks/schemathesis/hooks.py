"""What Schemathesis can't know from the document: which refusals of a valid request depend on what is stored."""

import itertools
import os
import re

import requests
import schemathesis
from schemathesis import GenerationMode

# A request of the right form may still name something that does not exist, or a state that is gone.
REFUSALS_BY_STATE = {
    "allocation_not_found",
    "batch_empty",
    "carrier_account_invalid",
    "carrier_account_not_found",
    "carrier_not_found",
    "carrier_service_not_found",
    "duplicate_allocation",
    "idempotency_key_reused",
    "invalid_cursor",
    "inventory_item_not_found",
    "item_not_in_allocation",
    "item_not_in_order",
    "location_configuration_not_found",
    "location_not_found",
    "not_provisioned",
    "precondition_failed",
    "rate_not_found",
    "scope_not_held",
    "sequence_out_of_range",
    "service_missing",
    "shipment_not_found",
    "shipment_not_in_batch",
    "status_not_writable",
    "url_not_allowed",
    "user_not_found",
}
# What ties two fields, or body and query, together, which a schema of either can't say.
ISSUES_BETWEEN_FIELDS = {"channel_mismatch", "channel_required", "excluded", "immutable", "post_code_invalid"}
# The same where the code is a usual one: by its code and the places where it means such a tie.
TIES_BETWEEN_FIELDS = [
    ("required", r"/addresses/origin"),
    ("required", r"/packages/\d+/geometry/(mass|length|width|height)"),
    ("required", r"/customs/restriction_description"),
    ("required", r"/(rate|carrier_account|carrier_service)"),
    ("required", r"/(tracking_numbers|currency_code)"),
    ("required", r"/service/carrier(_service|_account)?"),
    ("invalid_format", r"(/customs/identifiers|/tax_identifiers)/\d+/value"),
    # Names and days that there are not: a list of all time zones is no schema, nor is a calendar.
    ("invalid_value", r"/closing/time_zone"),
    ("invalid_format", r"/date"),
]
# Bodies that are whole. Hardly any that the tool makes up is, and what is to be shipped must be there first: so every other
# valid request has one of these.
ADDRESS = {"address": {"line_1": "1 Quay Street", "city": "Bristol", "post_code": "BS1 4DJ", "country_code": "GB"}}
WHOLE = {
    ("POST", "/shipments"): {
        "addresses": {"origin": ADDRESS, "destination": ADDRESS},
        "packages": [{"geometry": {"mass": 1.2}}],
    },
    ("POST", "/shipments/{shipment_id}/purchase"): {"carrier_account": "sandbox", "carrier_service": "standard"},
    ("POST", "/carrier_accounts"): {"carrier": {"handle": "sandbox"}, "name": "Sandbox", "disabled": True},
}
# The tokens that this run itself calls with: it must not saw off the branch it sits on.
OWN_TOKENS = set(os.environ["OWN_TOKENS"].split())


def is_tie(issue):
    """Whether what is wrong is no field, but how two of them go together."""
    ties = (issue["code"] == code and re.fullmatch(place, issue["field"]) for code, place in TIES_BETWEEN_FIELDS)
    return issue["code"] in ISSUES_BETWEEN_FIELDS or any(ties)


@schemathesis.check
def valid_requests_are_refused_only_for_what_is_stored(ctx, response, case):
    """Takes the place of the statuses that schemathesis.toml adds to those expected of valid data."""
    if case.meta is None or case.meta.generation.mode != GenerationMode.POSITIVE:
        return
    if response.status_code not in (400, 412, 422):
        return
    problem = response.json()
    issues = problem["errors"]
    if problem["code"] in REFUSALS_BY_STATE or (issues and all(map(is_tie, issues))):
        return
    raise AssertionError(f"A request of the documented form was refused: {problem}")


calls = itertools.count()


@schemathesis.hook
def before_call(ctx, case, kwargs):
    # The tool likes the same few keys, and a key used again is refused before anything else happens. So most keys
    # are made new, and every fourth is left as it is.
    key = (case.headers or {}).get("Idempotency-Key")
    call = next(calls)
    is_valid = case.meta is not None and case.meta.generation.mode == GenerationMode.POSITIVE
    if key is not None and is_valid and call % 4:
        case.headers["Idempotency-Key"] = f"{key[:200]}-{call}"
    # No made-up channel is the caller's own. One is everybody's: every other request joins that.
    if case.path == "/events/subscription_token" and is_valid and call % 2:
        case.body, case.media_type, case.query = {"channel": "system:announcements"}, "application/json", {}
    # It takes the places that refusals point at for names of fields, and adds them.
    if is_valid and isinstance(case.body, dict):
        case.body = {name: value for name, value in case.body.items() if not name.startswith("/")}
    whole = WHOLE.get((case.method, case.path))
    if whole is not None and is_valid and call % 2:
        case.body, case.media_type = whole, "application/json"
    parameters = case.path_parameters or {}
    if case.method == "DELETE" and parameters.get("access_token_id") in OWN_TOKENS:
        parameters["access_token_id"] = "tok_00000000000000000000000000"


@schemathesis.hook
def after_call(ctx, case, response):
    # Whoever was deprovisioned is provisioned again: what needs it would be refused for the rest of the run.
    if case.path != "/events/deprovision" or response.status_code != 204:
        return
    sent = response.request
    address = sent.url.split("/events/")[0] + "/events/provision"
    headers = {"Authorization": sent.headers["Authorization"]}
    requests.post(address, headers=headers, timeout=10).raise_for_status()
