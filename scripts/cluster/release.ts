import { eventually } from '../../test/kit/run/eventually.js';
import type { Cluster, Pod } from './cluster.js';
import { KUBERNETES } from './tools.js';

export const CHART = 'deploy/helm/parley';
export const RELEASE = 'parley';

const READY_MS = 300_000;
const RESTRICTED = Object.fromEntries(
  ['enforce', 'warn'].map((mode) => [`pod-security.kubernetes.io/${mode}`, 'restricted']),
);

/** Files of values in the chart. */
export const PROFILES = ['trial', 'production', 'cluster'] as const;

/** The chart, installed in a namespace of its own. */
export class Release {
  constructor(
    private readonly cluster: Cluster,
    readonly namespace: string,
  ) {}

  /** It admits restricted pods only. */
  async makeNamespace(): Promise<void> {
    const metadata = { name: this.namespace, labels: RESTRICTED };
    await this.cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata });
  }

  /** @param words of Helm, such as those of the values @param chart by its folder, or an artifact */
  async install(words: readonly string[], chart: readonly string[] = [CHART]): Promise<void> {
    await this.cluster.helm(['install', RELEASE, ...chart, '--namespace', this.namespace, ...words]);
  }

  /** The values as they are, and those that are given. */
  async upgrade(set: readonly string[], words: readonly string[] = []): Promise<void> {
    const values = set.flatMap((value) => ['--set', value]);
    const kept = ['--namespace', this.namespace, '--reuse-values'];
    await this.cluster.helm(['upgrade', RELEASE, CHART, ...kept, ...values, ...words]);
  }

  async untilReady(): Promise<void> {
    await eventually(
      async () => {
        if (!(await this.isReady())) throw new Error(`Not every replica of ${this.namespace} is ready`);
      },
      { timeoutMs: READY_MS, intervalMs: 300 },
    );
  }

  /** Whether each Deployment has as many pods as it should, all of its newest revision and ready, and no other. */
  async isReady(): Promise<boolean> {
    const deployments = await this.cluster.deployments(this.namespace);
    return deployments.every(
      ({ metadata, spec, status }) =>
        status.observedGeneration === metadata.generation &&
        [status.replicas, status.updatedReplicas, status.readyReplicas].every((number) => number === spec.replicas),
    );
  }

  /** It changes with each rollout. */
  async generations(): Promise<readonly number[]> {
    return (await this.cluster.deployments(this.namespace)).map(({ metadata }) => metadata.generation);
  }

  async replicas(): Promise<string> {
    return (await this.cluster.deployments(this.namespace)).map(({ spec }) => String(spec.replicas)).join('+');
  }

  pods(): Promise<readonly Pod[]> {
    return this.cluster.pods(this.namespace);
  }

  /** Numbers of each role's pods per node, once no pod of the revision before is left. */
  async perNode(nodes: readonly string[]): Promise<readonly { readonly text: string; readonly skew: number }[]> {
    const pods = await eventually(
      async () => {
        const now = await this.pods();
        if (now.some(({ metadata }) => metadata.deletionTimestamp !== undefined)) throw new Error('Pods are ending');
        return now.filter(({ metadata }) => 'parley/metrics' in metadata.labels);
      },
      { timeoutMs: READY_MS, intervalMs: 300 },
    );
    return [...new Set(pods.map(roleOf))].map((role) => {
      const of = pods.filter((pod) => roleOf(pod) === role);
      const numbers = nodes.map((node) => of.filter(({ spec }) => spec.nodeName === node).length);
      return { text: `${role} ${numbers.join('+')}`, skew: Math.max(...numbers) - Math.min(...numbers) };
    });
  }

  async remove(): Promise<void> {
    await this.cluster.kubectl(['delete', 'namespace', this.namespace, '--timeout=180s']);
  }
}

export function valuesOf(profile: string): readonly string[] {
  return ['--values', `${CHART}/ci/${profile}-values.yaml`];
}

/** Helm's words for the manifests of a profile. It asks no cluster for them. */
export function templateOf(chart: readonly string[], profile: string, namespace: string): readonly string[] {
  const words = ['--namespace', namespace, '--kube-version', KUBERNETES];
  return ['template', RELEASE, ...chart, ...words, ...valuesOf(profile)];
}

function roleOf({ metadata }: Pod): string {
  return metadata.labels['app.kubernetes.io/component'] ?? '';
}
