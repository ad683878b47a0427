/** Helm, as `go install` makes it where the machine has none. */
export const HELM_MODULE = 'helm.sh/helm/v3/cmd/helm@v3.22.0';
