"""The dashboard and the alerts: every metric and every label that they name is one that the program serves, promtool finds nothing wrong,
each alert fires in its example, and a Prometheus that watches the program has an answer for every selector."""

import json
import re
import shutil
import urllib.parse
import urllib.request

import yaml

from checks import DEPLOY, HERE, TOOLS, holds, run
from program import Process, Server, free_port, wait_until

RULES = DEPLOY / "prometheus/dockside.rules.yml"
DASHBOARD = DEPLOY / "grafana/dockside.json"
PROMTOOL = TOOLS / "prometheus/usr/bin/promtool"
# Of Prometheus itself.
OTHERS = {"up": {"job", "instance"}}
SELECTOR = re.compile(r"\b(dockside_\w+|up)\b(?:\{([^}]*)\})?")
MATCHER = re.compile(r'(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"')
# A status is served once a request had it.
OPEN_LABELS = {"status", "route", "method", "instance"}


def served_by(text):
    """Returns the labels of each metric, and the values of each label, as Prometheus stores them."""
    served = {name: {label: set() for label in labels} for name, labels in OTHERS.items()}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        name, labels = re.match(r"(\w+)(?:\{(.*)\})? ", line).groups()
        values = served.setdefault(name, {"instance": set()})
        for label, _, value in MATCHER.findall(labels or ""):
            # Prometheus has this label, too, and renames ours.
            values.setdefault("exported_job" if label == "job" else label, set()).add(value)
    return served


def expressions():
    """Returns all expressions: of the alerts, of the dashboard's panels, and of its variables."""
    rules = yaml.safe_load(RULES.read_text())
    for group in rules["groups"]:
        for rule in group["rules"]:
            yield rule["alert"], rule["expr"]
    dashboard = json.loads(DASHBOARD.read_text())
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            expression = target["expr"].replace("$__rate_interval", "5m").replace("$instance", ".*")
            yield panel["title"], expression
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            metric, label = re.fullmatch(r"label_values\((\w+), (\w+)\)", variable["definition"]).groups()
            yield variable["name"], f'{metric}{{{label}!=""}}'


def check_names(served):
    """Returns the selectors without the values of labels, for Prometheus to answer."""
    selectors = set()
    for owner, expression in expressions():
        found = SELECTOR.findall(expression)
        holds(f"{owner} asks for a metric", found, expression)
        grouped = {label for labels in re.findall(r"\bby \(([^)]*)\)", expression) for label in labels.split(", ")}
        known = set().union(*(served.get(name, {}) for name, _ in found))
        holds(f"{owner} groups by labels that there are", grouped <= known, grouped - known)
        for name, matchers in found:
            holds(f"{owner}: the program serves {name}", name in served, sorted(served))
            matched = MATCHER.findall(matchers)
            for label, operator, value in matched:
                holds(f"{owner}: {name} has the label {label}", label in served[name], served[name])
                if operator == "=" and label not in OPEN_LABELS and name not in OTHERS:
                    holds(f"{owner}: {label} of {name} may be {value}", value in served[name][label], served[name][label])
            selectors.add((name, ",".join(sorted({f'{label}!=""' for label, _, _ in matched}))))
    return [f"{name}{{{matchers}}}" if matchers else name for name, matchers in sorted(selectors)]


def check_syntax(work):
    """Has promtool read the rules, and the dashboard's expressions as if they were rules; and try each alert's example."""
    run(PROMTOOL, "check", "rules", RULES)
    panels = [{"record": "dashboard:expression", "expr": expression} for _, expression in expressions()]
    as_rules = work / "dashboard.rules.yml"
    as_rules.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": panels}]}))
    seen = run(PROMTOOL, "check", "rules", "--lint=none", as_rules)
    holds("promtool reads all expressions", f"SUCCESS: {len(panels)} rules found" in seen, seen)
    shutil.copy(RULES, work)
    shutil.copy(HERE / "alerts_test.yml", work)
    run(PROMTOOL, "test", "rules", work / "alerts_test.yml")
    alerts = {rule["alert"] for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]}
    examples = yaml.safe_load((HERE / "alerts_test.yml").read_text())["tests"]
    for example in examples:
        tried = {test["alertname"] for test in example["alert_rule_test"]}
        holds(f"each alert is tried where {example['name']}", tried == alerts, tried ^ alerts)


def check_in_prometheus(work, server_port, selectors):
    """Has a Prometheus watch the program, and asks it for every selector."""
    settings = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(RULES)],
        "scrape_configs": [{"job_name": "dockside", "static_configs": [{"targets": [f"127.0.0.1:{server_port}"]}]}],
    }
    (work / "prometheus.yml").write_text(yaml.safe_dump(settings))
    port = free_port()
    prometheus = Process([
        str(TOOLS / "prometheus/usr/bin/prometheus"), f"--config.file={work / 'prometheus.yml'}",
        f"--storage.tsdb.path={work / 'prometheus'}", f"--web.listen-address=127.0.0.1:{port}",
    ])

    def ask(path, **query):
        address = f"http://127.0.0.1:{port}/api/v1/{path}?{urllib.parse.urlencode(query)}"
        try:
            with urllib.request.urlopen(address, timeout=10) as answer:
                return json.load(answer)["data"]
        except OSError:
            return None

    def count(selector):
        answer = ask("query", query=f"count({selector})")
        return answer["result"] if answer else []

    told = lambda: "\n".join(prometheus.lines)
    wait_until("Prometheus has metrics of the program", lambda: count("dockside_clock_lead_seconds"), told)
    for selector in selectors:
        holds(f"Prometheus has series for {selector}", count(selector))
    evaluated = lambda: all(rule["health"] == "ok" for group in ask("rules")["groups"] for rule in group["rules"])
    wait_until("Prometheus evaluates every alert", evaluated, lambda: ask("rules"))
    firing = [alert["labels"]["alertname"] for alert in ask("alerts")["alerts"] if alert["state"] == "firing"]
    holds("no alert fires", not firing, firing)
    prometheus.stop()


def check(binary, work):
    check_syntax(work)
    server = Server(binary, ["--data", "data"], work)
    address = f"http://127.0.0.1:{server.port}"
    urllib.request.urlopen(f"{address}/healthz", timeout=10).close()
    text = urllib.request.urlopen(f"{address}/metrics", timeout=10).read().decode()
    selectors = check_names(served_by(text))
    run(PROMTOOL, "check", "metrics", input=text)
    check_in_prometheus(work, server.port, selectors)
    server.stop()
    return f"{len(list(expressions()))} expressions"
