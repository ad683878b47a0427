import { KUBERNETES } from './tools.js';

export const CHART = 'deploy/helm/parley';
export const RELEASE = 'parley';

/** Files of values in the chart. */
export const PROFILES = ['trial', 'production', 'cluster'] as const;

/** Helm's words for the manifests of a profile. It asks no cluster for them. */
export function templateOf(chart: readonly string[], profile: string, namespace: string): readonly string[] {
  const words = ['--namespace', namespace, '--kube-version', KUBERNETES];
  return ['template', RELEASE, ...chart, ...words, '--values', `${CHART}/ci/${profile}-values.yaml`];
}
