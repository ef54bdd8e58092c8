{{- define "atoll.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "atoll.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" }}
{{- else if contains (include "atoll.name" .) .Release.Name }}
{{- .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "atoll.name" .) | trunc 52 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- /* What never changes: a Deployment's selector is immutable. */}}
{{- define "atoll.selectorLabels" -}}
app.kubernetes.io/name: {{ include "atoll.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "atoll.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "atoll.selectorLabels" . }}
app.kubernetes.io/component: operator
app.kubernetes.io/part-of: atoll
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "atoll.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "atoll.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- required "serviceAccount.name: name the ServiceAccount to use, or set serviceAccount.create" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "atoll.image" -}}
{{- $repository := required "image.repository: no registry has the operator's image; make it with scripts/image, load it into the nodes or push it to a registry of yours, and name it, such as --set image.repository=localhost/atoll --set-string image.tag=1 (charts/atoll/README.md)" .Values.image.repository -}}
{{- if .Values.image.digest -}}
{{ $repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ $repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end }}
{{- end }}

{{- /* Passes the Pod Security Standard "restricted". */}}
{{- define "atoll.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "atoll.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}
