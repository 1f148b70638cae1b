"""What Schemathesis can't know from the document: which refusals of a valid request depend on what is stored."""

import itertools
import os

import requests
import schemathesis
from schemathesis import GenerationMode

# A request of the right form may still name something that does not exist, or a state that is gone.
REFUSALS_BY_STATE = {
    "allocation_not_found",
    "duplicate_allocation",
    "idempotency_key_reused",
    "invalid_cursor",
    "inventory_item_not_found",
    "item_not_in_allocation",
    "item_not_in_order",
    "location_not_found",
    "not_provisioned",
    "precondition_failed",
    "scope_not_held",
    "sequence_out_of_range",
    "status_not_writable",
    "url_not_allowed",
    "user_not_found",
}
# What ties two fields, or body and query, together, which a schema of either can't say.
ISSUES_BETWEEN_FIELDS = {"channel_mismatch", "channel_required", "post_code_invalid"}
# The tokens that this run itself calls with: it must not saw off the branch it sits on.
OWN_TOKENS = set(os.environ["OWN_TOKENS"].split())


@schemathesis.check
def valid_requests_are_refused_only_for_what_is_stored(ctx, response, case):
    """Takes the place of the statuses that schemathesis.toml adds to those expected of valid data."""
    if case.meta is None or case.meta.generation.mode != GenerationMode.POSITIVE:
        return
    if response.status_code not in (400, 412, 422):
        return
    problem = response.json()
    issues = {issue["code"] for issue in problem["errors"]}
    if problem["code"] in REFUSALS_BY_STATE or (issues and issues <= ISSUES_BETWEEN_FIELDS):
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
