import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { askedGaugeBy } from '../../platform/metrics/asked-gauge.js';
import { Metrics } from '../../platform/metrics/metrics.js';
import { AgentDirectory } from './agent-directory.js';
import { AgentGate } from './agent-gate.js';

/** Gauges of the agents of AGENTS_FILE, read from Redis at each scrape: take the maximum over processes. */
@Injectable()
export class AgentGauges implements OnModuleInit {
  constructor(
    @Inject(AgentDirectory) private readonly directory: AgentDirectory,
    @Inject(AgentGate) private readonly gate: AgentGate,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    const { registry } = this.metrics;
    askedGaugeBy(
      registry,
      { name: 'a2a_agent_inflight', help: 'Calls under way to an agent of AGENTS_FILE.', label: 'agent' },
      () => this.ofEach((name) => this.gate.underWay(name)),
    );
    askedGaugeBy(
      registry,
      {
        name: 'a2a_agent_open',
        help: '1 while an agent is left alone because its calls keep failing.',
        label: 'agent',
      },
      () => this.ofEach(async (name) => Number(await this.gate.isOpen(name))),
    );
  }

  private async ofEach(read: (name: string) => Promise<number>): Promise<Readonly<Record<string, number>>> {
    const rows = this.directory.agents.map(async ({ name }) => [name, await read(name)] as const);
    return Object.fromEntries(await Promise.all(rows));
  }
}
