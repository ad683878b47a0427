import { A2AService } from '@a2a-js/sdk/server/grpc';
import { GrpcClient } from '../../test/kit/callers/grpc-client.js';
import { eventually } from '../../test/kit/run/eventually.js';
import type { Engine } from './engine.js';

const HEALTHY_MS = 180_000;

type Port = 'PORT' | 'GRPC_PORT' | 'ISSUER_PORT' | 'PROMETHEUS_PORT' | 'GRAFANA_PORT';

/** docker/compose.yaml on an engine, with ports of its own, without Grafana. */
export class Deployment {
  private readonly variables: Readonly<Record<string, string>>;

  constructor(
    readonly engine: Engine,
    readonly ports: Readonly<Record<Port, number>>,
  ) {
    this.variables = Object.fromEntries(Object.entries(ports).map(([name, port]) => [`PARLEY_${name}`, String(port)]));
  }

  up(): void {
    this.compose([
      'up',
      '-d',
      '--no-build',
      '--pull',
      'never',
      'api',
      'worker',
      'dispatcher',
      'balancer',
      'prometheus',
    ]);
  }

  stop(): void {
    this.compose(['stop']);
  }

  down(): void {
    this.compose(['down', '--volumes', '--remove-orphans', '--timeout', '2']);
  }

  /** As the documentation has it: the number is a variable, so that each replica knows it. */
  async scale(replicas: number): Promise<void> {
    this.compose(['up', '-d', '--no-build', '--no-deps', '--no-recreate', '--scale', `api=${String(replicas)}`, 'api']);
    await this.untilHealthy();
  }

  /** An update without an outage: as many new replicas beside the old ones, then the old ones stopped and removed. */
  async replaceApis(): Promise<void> {
    const old = this.containersOf('api');
    await this.scale(2 * old.length);
    for (const api of old) this.engine.docker(['stop', api]);
    for (const api of old) this.engine.docker(['rm', api]);
  }

  containersOf(service: string): readonly string[] {
    return this.compose(['ps', '--quiet', service])
      .split('\n')
      .filter((id) => id !== '');
  }

  /** Resolves when each api container that runs is healthy. */
  async untilHealthy(): Promise<void> {
    await eventually(
      () => {
        const ids = this.containersOf('api');
        const states = this.engine.docker(['inspect', '--format', '{{.State.Health.Status}}', ...ids]).split('\n');
        if (states.some((state) => state !== 'healthy')) throw new Error(`The replicas are ${states.join(', ')}`);
      },
      { timeoutMs: HEALTHY_MS, intervalMs: 1_000 },
    );
  }

  /** The reasons of those of a number of gRPC calls that failed. */
  async grpcFailures(token: string, calls: number): Promise<readonly string[]> {
    const client = new GrpcClient(`127.0.0.1:${String(this.ports.GRPC_PORT)}`, A2AService, {
      authorization: `Bearer ${token}`,
      'a2a-version': '1.0',
    });
    const failed: string[] = [];
    try {
      for (let call = 0; call < calls; call += 1) {
        await client
          .call('listTasks', { tenant: '', contextId: '', status: 0, pageToken: '' })
          .catch((error: unknown) => failed.push(String(error)));
      }
    } finally {
      client.close();
    }
    return failed;
  }

  private compose(words: readonly string[]): string {
    return this.engine.compose(words, this.variables);
  }
}
