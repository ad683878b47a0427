{{- define "parley.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "parley.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains (include "parley.name" .) .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "parley.name" .) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "parley.selector" -}}
app.kubernetes.io/name: {{ include "parley.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "parley.labels" -}}
{{ include "parley.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "parley.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "parley.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "parley.image" -}}
{{- $image := .Values.image -}}
{{- $name := ternary $image.repository (printf "%s/%s" $image.registry $image.repository) (empty $image.registry) -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $name $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $name (default .Chart.AppVersion $image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "parley.redisUrl" -}}
{{- if .Values.redis.bundled.enabled -}}
{{- printf "redis://%s-redis:6379" (include "parley.fullname" .) -}}
{{- else -}}
{{- required "redis.url or redis.existingSecret.name is needed (or redis.bundled.enabled for a trial)" .Values.redis.url -}}
{{- end -}}
{{- end -}}

{{/* One rule of egress to DNS, one to Redis: every role needs both. */}}
{{- define "parley.egress" -}}
- ports:
    - { port: 53, protocol: UDP }
    - { port: 53, protocol: TCP }
  to:
    {{- toYaml .Values.networkPolicy.dns | nindent 4 }}
- ports:
    {{- range .Values.networkPolicy.redisPorts }}
    - { port: {{ . }}, protocol: TCP }
    {{- end }}
  {{- if .Values.redis.bundled.enabled }}
  to:
    - podSelector:
        matchLabels:
          {{- include "parley.selector" . | nindent 10 }}
          app.kubernetes.io/component: redis
  {{- else if .Values.networkPolicy.redis }}
  to:
    {{- toYaml .Values.networkPolicy.redis | nindent 4 }}
  {{- end }}
{{- end -}}
