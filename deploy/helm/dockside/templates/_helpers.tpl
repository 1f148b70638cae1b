{{/* The name of everything that a release has. */}}
{{- define "dockside.name" -}}
{{- if contains "dockside" .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-dockside" .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "dockside.selector" -}}
app.kubernetes.io/name: dockside
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "dockside.labels" -}}
{{ include "dockside.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* Refuses values with which several nodes would not share what they must share. */}}
{{- define "dockside.check" -}}
{{- if gt (int .Values.replicas) 1 -}}
{{- if not .Values.existingSecret -}}
{{- fail "replicas is more than 1: existingSecret must name a Secret with DOCKSIDE_DATABASE_URL, DOCKSIDE_SIGNING_KEY and DOCKSIDE_ENCRYPTION_KEY, which all nodes share" -}}
{{- end -}}
{{- if not .Values.settings.files -}}
{{- fail "replicas is more than 1: settings.files must name a bucket, because all nodes share their files" -}}
{{- end -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) -}}
{{- fail "ingress.enabled needs ingress.host" -}}
{{- end -}}
{{- range list "data" "listen" "public_url" -}}
{{- if hasKey $.Values.settings . -}}
{{- fail (printf "settings.%s: the chart sets it itself" .) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Settings as TOML. `toToml` writes numbers of a values file as 100.0; JSON's numbers, texts, booleans and lists are TOML's, too. */}}
{{- define "dockside.toml" -}}
{{- range $key, $value := . }}
{{- if not (kindIs "map" $value) }}
{{ $key }} = {{ toJson $value }}
{{- end }}
{{- end }}
{{- range $key, $value := . }}
{{- if kindIs "map" $value }}
[{{ $key }}]
{{- range $name, $each := $value }}
{{ quote $name }} = {{ toJson $each }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}
