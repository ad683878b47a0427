import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster, Pod } from './cluster.js';

const PERIOD_MS = 200;
const PERIODS_PER_BEAT = 25;

/**
 * Nodes without a machine, and without a label of a zone: their pods are said to be ready as soon as they are scheduled, and
 * gone as soon as they are deleted. What scheduler and controllers do with them is real.
 */
export class HollowNodes {
  private isStopped = false;
  private readonly running: Promise<void>;

  private constructor(
    private readonly cluster: Cluster,
    private readonly names: readonly string[],
  ) {
    this.running = this.run();
  }

  static async start(cluster: Cluster, names: readonly string[]): Promise<HollowNodes> {
    for (const name of names) {
      await cluster.apply({
        ...{ apiVersion: 'v1', kind: 'Node' },
        metadata: { name, labels: { 'kubernetes.io/hostname': name } },
      });
      const room = { cpu: '64', memory: '256Gi', pods: '250' };
      await cluster.api('PATCH', `/api/v1/nodes/${name}/status`, { status: { capacity: room, allocatable: room } });
    }
    return new HollowNodes(cluster, names);
  }

  /** @throws what the pods' life failed of */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.running;
  }

  private async run(): Promise<void> {
    for (let beats = 0; !this.isStopped; beats += 1) {
      if (beats % PERIODS_PER_BEAT === 0) await Promise.all(this.names.map((name) => this.beat(name)));
      const pods = await this.cluster.pods();
      const placed = pods.filter(({ spec }) => spec.nodeName !== undefined);
      await Promise.all(placed.map((pod) => this.lead(pod)));
      await pause(PERIOD_MS);
    }
  }

  /** A controller says of a node without a heartbeat that it is not ready. */
  private async beat(name: string): Promise<void> {
    const conditions = [
      { type: 'Ready', status: 'True', reason: 'Hollow', lastHeartbeatTime: new Date().toISOString() },
    ];
    await this.cluster.api('PATCH', `/api/v1/nodes/${name}/status`, { status: { conditions } });
  }

  private async lead({ metadata, spec, status }: Pod): Promise<void> {
    const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
    if (metadata.deletionTimestamp !== undefined) {
      // A controller may be faster.
      await this.cluster.api('DELETE', path, { gracePeriodSeconds: 0 }).catch(ifGone);
    } else if (status.phase === 'Pending') {
      const now = new Date().toISOString();
      const types = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'];
      const conditions = types.map((type) => ({ type, status: 'True', lastTransitionTime: now }));
      const containerStatuses = spec.containers.map(({ name }) => ({
        ...{ name, ready: true, started: true, restartCount: 0, image: name, imageID: name },
        state: { running: { startedAt: now } },
      }));
      const running = { phase: 'Running', startTime: now, podIP: '192.0.2.1', conditions, containerStatuses };
      await this.cluster.api('PATCH', `${path}/status`, { status: running }).catch(ifGone);
    }
  }
}

function ifGone(error: unknown): void {
  if (!(error instanceof Error && /: (404|409) /.test(error.message))) throw error;
}
