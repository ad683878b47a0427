{{/*
The Deployment of one role: dict "root" $ "role" "api" "values" .Values.api "scaled" (whether something else sets the
number of replicas) "env" (a list of more variables)
*/}}
{{- define "parley.deployment" -}}
{{- $root := .root -}}
{{- $name := printf "%s-%s" (include "parley.fullname" $root) .role -}}
{{- $grace := add $root.Values.leaveDelaySeconds (div .values.drainMs 1000) 10 -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  labels:
    {{- include "parley.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
spec:
  {{- if not .scaled }}
  replicas: {{ .values.replicas }}
  {{- else }}
  {{- with lookup "apps/v1" "Deployment" $root.Release.Namespace $name }}
  {{- /* The number that an autoscaler has set. Without it, an upgrade that turns autoscaling on would leave one pod. */}}
  replicas: {{ .spec.replicas }}
  {{- end }}
  {{- end }}
  revisionHistoryLimit: 5
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: 25%
  selector:
    matchLabels:
      {{- include "parley.selector" $root | nindent 6 }}
      app.kubernetes.io/component: {{ .role }}
  template:
    metadata:
      labels:
        {{- include "parley.labels" $root | nindent 8 }}
        app.kubernetes.io/component: {{ .role }}
        parley/metrics: 'true'
        {{- with $root.Values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        checksum/config: {{ include (print $root.Template.BasePath "/configmap.yaml") $root | sha256sum }}
        {{- with include "parley.givenData" $root }}
        {{- /* An upgrade restarts the pods when one of these has changed. */}}
        checksum/given: {{ . | sha256sum }}
        {{- end }}
        {{- with $root.Values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      serviceAccountName: {{ include "parley.serviceAccountName" $root }}
      automountServiceAccountToken: false
      enableServiceLinks: false
      # Leave, drain, and time to close.
      terminationGracePeriodSeconds: {{ $grace }}
      {{- with $root.Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $root.Values.priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      securityContext:
        runAsNonRoot: true
        runAsUser: 65532
        runAsGroup: 65532
        fsGroup: 65532
        seccompProfile:
          type: RuntimeDefault
      containers:
        - name: parley
          image: {{ include "parley.image" $root | quote }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities:
              drop: [ALL]
          ports:
            - name: http
              containerPort: 3000
            - name: metrics
              containerPort: 9464
            {{- if and (eq .role "api") $root.Values.grpc.enabled }}
            - name: grpc
              containerPort: {{ $root.Values.grpc.port | int }}
            {{- end }}
          envFrom:
            - configMapRef:
                name: {{ include "parley.fullname" $root }}
            {{- with $root.Values.existingSecret }}
            - secretRef:
                name: {{ . }}
            {{- end }}
          env:
            - name: ROLE
              value: {{ .role }}
            {{- if eq .role "api" }}
            - name: LEAVE_DELAY_MS
              value: {{ mul $root.Values.leaveDelaySeconds 1000 | quote }}
            {{- end }}
            - name: DRAIN_MS
              value: {{ .values.drainMs | int | quote }}
            {{- include "parley.redisEnv" $root | nindent 12 }}
            {{- with .env }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
            {{- with $root.Values.extraEnv }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          startupProbe:
            httpGet: { path: /health/startup, port: http }
            periodSeconds: 2
            {{- /* As long as a start may wait for a Redis that reads its data (redis.loadingSeconds, 600), and a minute more. */}}
            failureThreshold: 330
          livenessProbe:
            httpGet: { path: /health/live, port: http }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 3
          readinessProbe:
            httpGet: { path: /health/ready, port: http }
            periodSeconds: 5
            timeoutSeconds: 2
            failureThreshold: 2
          resources:
            {{- toYaml .values.resources | nindent 12 }}
          volumeMounts:
            - name: tmp
              mountPath: /tmp
            {{- include "parley.settingsMount" $root | nindent 12 }}
      volumes:
        - name: tmp
          emptyDir:
            sizeLimit: 64Mi
        {{- include "parley.settingsVolume" $root | nindent 8 }}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: topology.kubernetes.io/zone
          whenUnsatisfiable: {{ $root.Values.zoneSpread }}
          # Pods of the release before do not count, or a rollout leaves the new ones on one node.
          matchLabelKeys: [pod-template-hash]
          labelSelector:
            matchLabels:
              {{- include "parley.selector" $root | nindent 14 }}
              app.kubernetes.io/component: {{ .role }}
        {{- with $root.Values.topologySpreadConstraints }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with $root.Values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $root.Values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      affinity:
        {{- mergeOverwrite (include "parley.hostAffinity" . | fromYaml) $root.Values.affinity | toYaml | nindent 8 }}
{{- end -}}

{{/*
Spreads the pods of a role over hosts. Not a topologySpreadConstraint: beside that of the zones, a scheduler ignores every node that
has no zone.
*/}}
{{- define "parley.hostAffinity" -}}
{{- $root := .root -}}
podAntiAffinity:
  preferredDuringSchedulingIgnoredDuringExecution:
    - weight: 100
      podAffinityTerm:
        topologyKey: kubernetes.io/hostname
        {{- if semverCompare ">=1.31.0-0" $root.Capabilities.KubeVersion.Version }}
        matchLabelKeys: [pod-template-hash]
        {{- end }}
        labelSelector:
          matchLabels:
            {{- include "parley.selector" $root | nindent 12 }}
            app.kubernetes.io/component: {{ .role }}
{{- end -}}
