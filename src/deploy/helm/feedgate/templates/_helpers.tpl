{{- define "feedgate.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels that tell the objects of one installation from all others. They never change. */}}
{{- define "feedgate.selector" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "feedgate.labels" -}}
{{ include "feedgate.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "feedgate.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end -}}
{{- end -}}

{{- define "feedgate.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{ default (include "feedgate.fullname" .) .Values.serviceAccount.name }}
{{- else -}}
{{ .Values.serviceAccount.name }}
{{- end -}}
{{- end -}}

{{/* A setting as text. Helm reads numbers as floating point, which it would print as 2.097152e+06. */}}
{{- define "feedgate.settingText" -}}
{{- if kindIs "string" . }}{{ . }}{{ else }}{{ toJson . }}{{ end -}}
{{- end -}}

{{/* What pods of gateways and of the migration have in common. */}}
{{- define "feedgate.pod" -}}
automountServiceAccountToken: false
# Variables of Services, such as FEEDGATE_PORT, could be mistaken for settings.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "feedgate.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* Variables that name the files of secrets. Takes a map of secrets. */}}
{{- define "feedgate.secretFiles" -}}
{{- range $variable, $_ := . }}
- name: {{ $variable }}_FILE
  value: /run/secrets/feedgate/{{ $variable }}
{{- end }}
{{- end -}}

{{/* The volume of these files. Takes a map of secrets. */}}
{{- define "feedgate.secretVolume" -}}
- name: secrets
  projected:
    sources:
      {{- range $variable, $secret := . }}
      - secret:
          name: {{ $secret.name }}
          items:
            - key: {{ default $variable $secret.key }}
              path: {{ $variable }}
      {{- end }}
{{- end -}}

{{- define "feedgate.volumeMounts" -}}
- name: tmp
  mountPath: /tmp
- name: secrets
  mountPath: /run/secrets/feedgate
  readOnly: true
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}
