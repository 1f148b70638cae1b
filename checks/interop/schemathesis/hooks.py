"""What Schemathesis can't know from the document: what exists, and which refusals of a valid request depend on that."""

import collections
import itertools
import os
import re

import requests
import schemathesis
from organisation import IDENTIFIER, PREPARED, Organisation
from schemathesis import GenerationMode
from schemathesis.core import NotSet
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation.meta import TestPhase

# A request of the right form may still name something that does not exist, or a state that is gone.
REFUSALS_BY_STATE = {
    "allocation_not_found",
    "batch_empty",
    # A batch has as many parts as its shipments need.
    "batch_part_not_found",
    "batch_part_required",
    "carrier_account_invalid",
    "carrier_account_not_found",
    "carrier_not_found",
    "carrier_service_not_found",
    "document_not_found",
    "duplicate_allocation",
    "idempotency_key_reused",
    "invalid_cursor",
    "inventory_item_not_found",
    "item_mass_missing",
    "item_not_in_allocation",
    "item_not_in_order",
    "item_not_in_shipment",
    "items_contradict_lines",
    "line_not_found",
    "location_configuration_not_found",
    # An account is tested with the address of a location, and the run may have deleted all of them.
    "location_missing",
    "location_not_found",
    # Base64 of the right form is rarely a PNG.
    "logo_invalid",
    "not_provisioned",
    "order_not_found",
    "package_not_found",
    "package_type_missing",
    "package_type_not_found",
    "precondition_failed",
    "print_dpi_unsupported",
    "print_format_unsupported",
    # No server connects to a printer here: the setting is empty.
    "printer_address_not_allowed",
    "printer_ambiguous",
    "printer_missing",
    "printer_not_found",
    "rate_not_found",
    "role_not_found",
    "scope_not_held",
    # The run calls with a token, and only a person who has signed in has a password and a session of their own.
    "session_required",
    "sign_in_failed",
    "too_many_sign_ins",
    "sequence_out_of_range",
    "service_missing",
    "shipment_not_found",
    "shipment_not_in_batch",
    # A patch may take from a rule all that it sets.
    "shipping_rule_empty",
    "shipping_rule_order_invalid",
    "sku_not_found",
    "status_not_writable",
    "too_many_units",
    "url_not_allowed",
    "user_not_found",
    # An order that a wave has planned can be shipped as far as its items, boxes and locations allow.
    "destination_missing",
    "location_configuration_missing",
    "location_configuration_ambiguous",
    "packages_exceed_allocations",
    "packages_need_location",
    "customs_data_missing",
    "customs_currency_mixed",
    # Which orders there are, and how many, is not in the document.
    "wave_empty",
    "wave_part_not_found",
    "wave_part_required",
    "wave_too_large",
    # Nor how many groups a report would have.
    "report_too_large",
}
# What ties two fields, or body and query, together, which a schema of either can't say.
ISSUES_BETWEEN_FIELDS = {
    "channel_mismatch",
    "channel_required",
    "immutable",
    "post_code_invalid",
    "province_invalid",
    # A schema can't say which characters leave a mark on paper.
    "blank",
}
# The same where the code is a usual one: by its code and the places where it means such a tie.
TIES_BETWEEN_FIELDS = [
    # A sign-in takes an address with a password, or a link alone.
    ("required", r"/email_address"),
    # What is said of a file belongs into the query only if the body is the file.
    ("invalid_query", r"type|format|dry_run|on_conflict|on_error|locale"),
    ("required", r"(/shipment)?/addresses/origin"),
    ("required", r".*/(post_code|province)"),
    ("invalid_value", r"(/shipment)?/options/label/size"),
    # An adjustment that would take what is on hand beyond the most that may be.
    ("out_of_range", r"/delta"),
    # The lines of one item add up.
    ("out_of_range", r"/(items|lines)/\d+/quantity"),
    # A hold that would have ended already.
    ("out_of_range", r"/until"),
    # Nothing is placed, created or purchased between two moments in the wrong order.
    ("invalid_query", r"(placed|created|purchased)_after"),
    # A level is an item at a location, so the history of one is exported by both.
    ("invalid_query", r"location_id"),
    # A report has between 1 and 366 days, and ends today unless it says otherwise.
    ("invalid_query", r"from|to"),
    # An order that a patch leaves with neither items nor lines.
    ("too_few", r"/items"),
    ("required", r"/items"),
    # What a patch leaves of a pair: a value and its currency, a choice and its days, the ends of a range.
    ("required", r"/(unit_value|currency_code)|/action/choose/days|/conditions/(mass|order_value|dimensions)(/(length|width|height))?"),
    ("invalid_value", r"/action/choose(/days)?|/conditions/time_window/until"),
    ("out_of_range", r"/conditions/.*/max"),
    # What is inside is not larger than what is outside, and a package type bears more than its own mass.
    ("out_of_range", r"/inner_dimensions/(length|width|height)|/mass_max"),
    # Entries that are compared in another form than they are written in, or by one of their fields.
    ("duplicate", r"/(formats|is_default_for|roles)/\d+"),
    # The address of a printer has the form that its kind asks for.
    ("invalid_format", r"/address"),
    ("duplicate", r"/location_ids/\d+|/barcodes/\d+|(/shipment)?/packages/\d+/items/\d+/id"),
    ("invalid_format", r"(/shipment)?(/customs/identifiers|/tax_identifiers)/\d+/value"),
    # Names and days that there are not: a list of all time zones is no schema, nor is a calendar.
    ("invalid_value", r"(/closing)?/time_zone"),
    ("invalid_format", r"/date"),
    # The columns of a mapping are those of the type.
    ("invalid_value", r"/mapping/.*"),
    # The orders of a wave are named or filtered, its steps need each other, and some filters match nothing.
    ("required", r"/order_ids"),
    ("invalid_value", r"/steps|/filter(/(placed_after|fulfilment_status))?"),
    # The bytes of all conditions of a rule together, or of all that it sets.
    ("too_long", r"/(conditions|action)"),
]
# Of the valid requests to an operation in one phase, the first and then every eighth is prepared, and every fourth is sent as
# generated. In the others, ids that exist take the place of generated ones.
PREPARED_EVERY = 8
GENERATED_EVERY = 4
# Types of bodies that are files: the server takes any bytes, and an import tells later which rows it could not read.
FILE_TYPES = {"text/csv", "application/x-ndjson"}
# The pattern of `Idempotency-Key` in the document.
KEY = re.compile(r'[!#-~]([ -~]{0,253}[!-~])?|"([ -~]{0,253}[!#-~]|[ -~]{1,255}")?')
# The tokens that this run itself sends, and the users that they belong to. Without one of these the run would end.
OWN_TOKENS = set(os.environ["OWN_TOKENS"].split())


def is_tie(issue):
    """Whether what is wrong is no field, but how two of them go together."""
    ties = (issue["code"] == code and re.fullmatch(place, issue["field"]) for code, place in TIES_BETWEEN_FIELDS)
    return issue["code"] in ISSUES_BETWEEN_FIELDS or any(ties)


@schemathesis.check
def valid_requests_are_refused_only_for_what_is_stored(ctx, response, case):
    """Takes the place of the statuses that schemathesis.toml adds to those expected of valid data."""
    if not is_valid(case):
        return
    if response.status_code not in (400, 412, 422):
        return
    problem = response.json()
    # Where there are many, the last entry only says how many more there are.
    issues = [issue for issue in problem["errors"] if issue["code"] != "more_errors"]
    if problem["code"] in REFUSALS_BY_STATE or (issues and all(map(is_tie, issues))):
        return
    raise AssertionError(f"A request of the documented form was refused: {problem}")


calls = itertools.count()
# Number of valid requests by operation and phase.
turns = collections.Counter()
organisation = Organisation(os.environ["SERVER"], os.environ["ALICE"], os.environ["LIVE"])
organisation.lose_answers()
OWN_USERS = {user["id"] for user in organisation.ask("GET", "/users?limit=100")["data"]}


def is_valid(case):
    return case.meta is not None and case.meta.generation.mode == GenerationMode.POSITIVE


def wrong_parts(case):
    """Returns the parts of an invalid request (path, query, headers, body) that the tool made invalid."""
    parts = case.meta.components.items() if case.meta is not None else ()
    return {location for location, part in parts if part.mode == GenerationMode.NEGATIVE}


def is_absent(case, location):
    """Returns whether a request lacks a part that may be left out."""
    if location == ParameterLocation.BODY:
        return isinstance(case.body, NotSet)
    if location == ParameterLocation.QUERY:
        return not case.query
    return location == ParameterLocation.HEADER and not case.headers


def with_known_ids(value):
    """Returns the value with ids that exist in place of those that no answer has named."""
    if isinstance(value, dict):
        return {name: with_known_ids(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [with_known_ids(entry) for entry in value]
    found = IDENTIFIER.fullmatch(value) if isinstance(value, str) else None
    if found is None or value in organisation.known:
        return value
    return organisation.live(found.group(1)) or value


def prepare(case):
    """Replaces the path parameters and the body by some that the operation accepts."""
    parameters, body = organisation.prepare(f"{case.method} {case.path}")
    case.path_parameters = parameters
    if body is not None:
        # A text is a file, and anything else is JSON.
        case.body, case.media_type = body, "text/csv" if isinstance(body, str) else "application/json"
    case.query = {}
    if "Idempotency-Key" in (case.headers or {}):
        case.headers["Idempotency-Key"] = f"prepared-{next(calls)}"


def drop_conditions(case):
    """Removes preconditions. A generated `ETag` matches no state, so the server would refuse the change for that alone."""
    for name in ("If-Match", "If-None-Match"):
        (case.headers or {}).pop(name, None)


def drop_query(case, is_first):
    """Removes a cursor, since a generated one belongs to no list; from the first request of a phase all that is optional."""
    required = {parameter.name for parameter in case.operation.query if parameter.is_required}
    is_kept = lambda name: name in required or (name != "cursor" and not is_first)
    case.query = {name: value for name, value in (case.query or {}).items() if is_kept(name)}


def settle(case):
    """Gives a valid request the state that it needs.

    A request of the stateful phase keeps the ids in its path: they come from an earlier answer, and the tool checks what
    becomes of that resource.
    """
    phase = case.meta.phase.name
    operation = f"{case.method} {case.path}"
    turn = turns[operation, phase]
    turns[operation, phase] += 1
    is_linked = phase == TestPhase.STATEFUL and case.path_parameters
    if operation in PREPARED and turn % PREPARED_EVERY == 0 and not is_linked:
        prepare(case)
        drop_conditions(case)
    elif turn % GENERATED_EVERY != GENERATED_EVERY - 1:
        # A deletion must not hit a resource that the other operations share.
        if not is_linked and case.method != "DELETE":
            case.path_parameters = with_known_ids(case.path_parameters)
        body = with_known_ids(case.body)
        if body != case.body:
            # The tool judges a body again that is set, and takes it for invalid if an optional one is absent.
            case.body = body
        drop_conditions(case)
        drop_query(case, is_first=turn == 0)


def renew_key(case):
    """Makes most keys unique; every fourth stays.

    The tool prefers the same few keys, and the server refuses a key that it has seen with another request before it looks at the
    request's body. That refusal would hide what the server says to the body.
    """
    key = (case.headers or {}).get("Idempotency-Key")
    call = next(calls)
    if key is not None and call % 4:
        case.headers["Idempotency-Key"] = f"{key[:200]}-{call}"


def repair_valid(case):
    """Makes a valid request one that the server can accept."""
    renew_key(case)
    # The tool takes the JSON pointers in refusals for names of fields, and adds such fields.
    if isinstance(case.body, dict):
        case.body = {name: value for name, value in case.body.items() if not name.startswith("/")}
    settle(case)


def has_empty_object(value):
    if isinstance(value, dict):
        return not value or any(map(has_empty_object, value.values()))
    return isinstance(value, list) and any(map(has_empty_object, value))


def is_completed_by_merging(case):
    """Returns whether a patch is invalid only because a property is missing that the document requires of a new object."""
    description = getattr(case.meta.phase.data, "description", None) or ""
    return "Missing required property" in description or has_empty_object(case.body)


def has_empty_value(case):
    """Returns whether a list in the query has an empty value. The server passes over these, as it does over a comma at the end."""
    lists = (value if isinstance(value, list) else str(value).split(",") for value in (case.query or {}).values())
    return any(len(values) > 1 and not all(str(value).strip() for value in values) for values in lists)


def repair_invalid(case):
    """Keeps invalid what the tool counts as invalid though it is not, and lets the server get to the part that is invalid."""
    wrong = wrong_parts(case)
    if ParameterLocation.HEADER not in wrong:
        renew_key(case)
        drop_conditions(case)
    key = (case.headers or {}).get("Idempotency-Key")
    if wrong == {ParameterLocation.HEADER} and key is not None and not KEY.fullmatch(key) and KEY.fullmatch(key.strip()):
        # HTTP strips spaces around a header's value, so the server gets a valid key.
        case.headers["Idempotency-Key"] = "x" * 300
    is_replaced = case.meta.phase.name == TestPhase.STATEFUL and wrong <= {ParameterLocation.PATH}
    is_omitted = case.meta.phase.name == TestPhase.FUZZING and all(is_absent(case, part) for part in wrong)
    # The tool takes a file for invalid if it is a JSON value other than a text.
    is_file = wrong == {ParameterLocation.BODY} and case.media_type in FILE_TYPES
    if is_replaced or is_omitted or is_file:
        # A link replaced the path that was to be the invalid part, or the fuzzer left all invalid parts out, or no file is
        # invalid. No operation takes this parameter.
        case.query = {**(case.query or {}), "no-such-parameter": "1"}
    if ParameterLocation.QUERY in wrong and has_empty_value(case):
        case.query = {**case.query, "no-such-parameter": "1"}
    if case.method == "PATCH" and is_completed_by_merging(case):
        # A patch is merged into what is stored, which may have what the tool left out.
        case.query = {**(case.query or {}), "no-such-parameter": "1"}
    may_omit = case.meta.phase.name != TestPhase.COVERAGE and not any(body.is_required for body in case.operation.body)
    if wrong == {ParameterLocation.BODY} and isinstance(case.body, NotSet) and may_omit:
        # The fuzzer leaves out an optional body even where the body is to be the invalid part. No operation takes an array.
        case.body, case.media_type = [], "application/json"


@schemathesis.hook
def before_call(ctx, case, kwargs):
    if is_valid(case):
        repair_valid(case)
    elif case.meta is not None:
        repair_invalid(case)
    # Not where a check sends another token, or none, to see it refused.
    if (case.headers or {}).get("Authorization") == f"Bearer {os.environ['ALICE']}":
        case.headers.update(organisation.authorisation(case.path))
    parameters = case.path_parameters or {}
    if case.method == "DELETE" and parameters.get("access_token_id") in OWN_TOKENS:
        parameters["access_token_id"] = "tok_00000000000000000000000000"
    if case.method != "GET" and parameters.get("user_id") in OWN_USERS:
        parameters["user_id"] = "usr_00000000000000000000000000"


@schemathesis.hook
def after_call(ctx, case, response):
    if response.status_code < 300 and "json" in response.headers.get("content-type", [""])[0]:
        organisation.learn(response.text)
    if case.method == "DELETE" and response.status_code == 204:
        for identifier in (case.path_parameters or {}).values():
            organisation.forget(identifier)
    # After a deprovision, provision again: the server would refuse much of the rest of the run.
    if case.path == "/events/deprovision" and response.status_code == 204:
        sent = response.request
        address = sent.url.split("/events/")[0] + "/events/provision"
        headers = {"Authorization": sent.headers["Authorization"]}
        requests.post(address, headers=headers, timeout=60).raise_for_status()
