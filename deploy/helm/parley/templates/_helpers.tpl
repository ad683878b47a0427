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

{{/* The content of the Secrets and ConfigMaps that the pods read and the chart does not create; nothing without a cluster. */}}
{{- define "parley.givenData" -}}
{{- $namespace := .Release.Namespace -}}
{{- range list .Values.existingSecret .Values.settingsFiles.secret .Values.redis.existingSecret.name -}}
{{- if . }}{{ with lookup "v1" "Secret" $namespace . }}{{ toJson .data }}{{ end }}{{ end -}}
{{- end -}}
{{- with .Values.settingsFiles.configMap }}{{ with lookup "v1" "ConfigMap" $namespace . }}{{ toJson .data }}{{ end }}{{ end -}}
{{- end -}}

{{- define "parley.redisUrl" -}}
{{- if .Values.redis.bundled.enabled -}}
{{- printf "redis://%s-redis:6379" (include "parley.fullname" .) -}}
{{- else -}}
{{- required "redis.url or redis.existingSecret.name is needed (or redis.bundled.enabled for a trial)" .Values.redis.url -}}
{{- end -}}
{{- end -}}

{{- define "parley.redisEnv" -}}
- name: REDIS_URL
  {{- if and .Values.redis.existingSecret.name (not .Values.redis.bundled.enabled) }}
  valueFrom:
    secretKeyRef:
      name: {{ .Values.redis.existingSecret.name }}
      key: {{ .Values.redis.existingSecret.key }}
  {{- else }}
  value: {{ include "parley.redisUrl" . | quote }}
  {{- end }}
{{- end -}}

{{- define "parley.settingsMount" -}}
{{- if or .Values.settingsFiles.configMap .Values.settingsFiles.secret -}}
- name: settings
  mountPath: /etc/parley
  readOnly: true
{{- end -}}
{{- end -}}

{{- define "parley.settingsVolume" -}}
{{- with .Values.settingsFiles -}}
{{- if .secret -}}
- name: settings
  secret:
    secretName: {{ .secret }}
{{- else if .configMap -}}
- name: settings
  configMap:
    name: {{ .configMap }}
{{- end -}}
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
