"""The Helm chart: linted and rendered with several values, every resource judged by Kubernetes' own schemas, and the settings file that it makes
read by the program."""

import warnings

import kubernetes_validate
import yaml

from checks import DEPLOY, TOOLS, VERSION, holds, run
from program import Server

CHART = DEPLOY / "helm/dockside"
HELM = TOOLS / "venv/bin/helm"
# The oldest that the chart allows, and the newest whose schemas are here.
KUBERNETES = ("1.25", "1.37")
SECRET = {"existingSecret": "dockside-secrets"}
VALUES = {
    "nothing set": {},
    "one node with an ingress": {
        "publicUrl": "https://dockside.example.com",
        "ingress": {"enabled": True, "className": "nginx", "host": "dockside.example.com", "tlsSecret": "dockside-tls",
                    "annotations": {"cert-manager.io/cluster-issuer": "letsencrypt"}},
        "persistence": {"size": "50Gi", "storageClassName": "fast"},
        "settings": {"log": "info,dockside::request=off", "requests_max": 1000, "strict": True,
                     "cors_origins": ["https://shop.example.com"], "carrier_urls": {"easypost": "https://proxy.example.com/v2"}},
    },
    "three nodes": {
        **SECRET, "replicas": 3, "settings": {"files": "s3://labels"},
        "podAnnotations": {"a": "b"}, "nodeSelector": {"disk": "fast"}, "imagePullSecrets": [{"name": "registry"}],
        "tolerations": [{"key": "a", "operator": "Exists"}],
        "affinity": {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 1, "podAffinityTerm": {"topologyKey": "kubernetes.io/hostname"}}]}},
    },
}
REFUSED = {
    "replicas is more than 1": {"replicas": 2},
    "settings.files must name a bucket": {**SECRET, "replicas": 2},
    "ingress.enabled needs ingress.host": {"ingress": {"enabled": True}},
    "the chart sets it itself": {"settings": {"listen": ":80"}},
    "replicaCount": {"replicaCount": 2},
}


def helm(work, command, values, *options, expect=0):
    file = work / "values.yaml"
    file.write_text(yaml.safe_dump(values))
    name = ["shop"] if command == "template" else []
    return run(HELM, command, *name, CHART, "--values", file, *options, expect=expect, cwd=work)


def rendered(work, values, version):
    text = helm(work, "template", values, "--kube-version", version)
    return [document for document in yaml.safe_load_all(text) if document]


def check_resources(work, name, values):
    """Returns the settings file of the chart."""
    helm(work, "lint", values, "--strict")
    for version in KUBERNETES:
        resources = rendered(work, values, version)
        for resource in resources:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                kubernetes_validate.validate(resource, version, strict=True)
            holds(f"{name}: Kubernetes {version} takes the {resource['kind']}", True)
    kinds = sorted(resource["kind"] for resource in resources)
    wanted = ["ConfigMap", "Service", "Service", "StatefulSet"]
    wanted += ["Ingress"] if values.get("ingress") else []
    wanted += ["PodDisruptionBudget"] if values.get("replicas", 1) > 1 else []
    holds(f"{name}: the chart has its resources", kinds == sorted(wanted), kinds)
    by_kind = {resource["kind"]: resource for resource in resources}
    pod = by_kind["StatefulSet"]["spec"]["template"]["spec"]
    container = pod["containers"][0]
    holds(f"{name}: the pod is not root", pod["securityContext"]["runAsNonRoot"] and container["securityContext"]["readOnlyRootFilesystem"])
    holds(f"{name}: the image has no host", container["image"] == f"dockside:{VERSION}", container["image"])
    labels = by_kind["StatefulSet"]["spec"]["template"]["metadata"]["labels"].items()
    for resource in resources:
        if resource["kind"] == "Service":
            holds(f"{name}: the service finds the pods", resource["spec"]["selector"].items() <= labels, resource)
    return by_kind["ConfigMap"]["data"]["dockside.toml"]


def check(binary, work):
    for name, values in VALUES.items():
        settings = check_resources(work, name, values)
        if name == "three nodes":
            # There is no bucket here.
            continue
        file = work / "dockside.toml"
        file.write_text(settings)
        server = Server(binary, ["--config", str(file), "--data", f"data {name}"], work)
        holds(f"{name}: the program reads its settings", True)
        server.stop()
    for sentence, values in REFUSED.items():
        seen = helm(work, "template", values, expect=1)
        holds(f"the chart refuses values, and says: {sentence}", sentence in seen, seen)
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    versions = {chart["version"], chart["appVersion"]}
    holds("the chart's versions are the program's", versions == {VERSION}, versions)
    return f"chart rendered {len(VALUES)} times"
