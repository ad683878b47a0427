import { type DynamicModule, Inject, Injectable, Logger, Module, type OnModuleInit, Optional } from '@nestjs/common';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { CommandRedis } from '../platform/redis/connection/connections.js';
import { RedisClock } from '../platform/redis/redis-clock.js';
import { RedisModule } from '../platform/redis/redis.module.js';
import { BlockModule } from '../blocks/block.module.js';
import { Blocks } from '../blocks/blocks.js';
import type { AllowEntry } from '../outbound/allow-list.js';
import { GuardedClient } from '../outbound/guarded-client.js';
import { SkillRegistry } from '../skill/skill.registry.js';
import { remote } from '@parley/sdk/skill/calls/remote.js';
import { type Mirrored, MirrorStore } from '../tasks/tree/mirror.store.js';
import { TaskModule } from '../tasks/task.module.js';
import { type CallbackOptions, Callbacks } from './callback/callbacks.js';
import { AgentDirectory } from './directory/agent-directory.js';
import { AgentGauges } from './directory/agent.gauges.js';
import { AgentMetrics } from './directory/agent.metrics.js';
import type { RemoteAgent } from './directory/agent-file.js';
import { AgentGate } from './directory/agent-gate.js';
import { CardResolver } from './directory/card-resolver.js';
import { GuardedHttp } from './directory/guarded-http.js';
import { RemoteAgentSkill } from './mirror/remote-agent.skill.js';
import { RemoteCalls } from './mirror/remote-calls.js';
import { RemoteKeys } from './directory/remote.keys.js';

export interface RemoteOptions {
  readonly agents: readonly RemoteAgent[];
  readonly allow: readonly AllowEntry[];
  readonly keyPrefix: string;
  /** Absent: agents cannot report to this service, and their tasks are polled. */
  readonly callbacks?: CallbackOptions;
}

/** Registers every agent of AGENTS_FILE as a skill of this service, and forwards cancels to them. */
@Injectable()
export class RemoteAgents implements OnModuleInit {
  private readonly log = new Logger(RemoteAgents.name);

  constructor(
    @Inject(AgentDirectory) private readonly agents: AgentDirectory,
    private readonly skills: SkillRegistry,
    private readonly mirrors: MirrorStore,
    @Optional() @Inject(Callbacks) private readonly callbacks?: Callbacks,
  ) {}

  onModuleInit(): void {
    for (const agent of this.agents.agents) {
      const calls = new RemoteCalls(this.agents, agent);
      const handler = new RemoteAgentSkill(calls, this.mirrors, this.callbacks);
      this.skills.provideHandler(remote(agent.name), handler, (message) => calls.inputFaults(message));
      for (const shown of agent.exposed) {
        const calls = new RemoteCalls(this.agents, { ...agent, skill: shown.remoteId }, shown);
        this.skills.provideHandler(shown.id, new RemoteAgentSkill(calls, this.mirrors, this.callbacks));
      }
    }
    this.mirrors.onCancel((mirrored) => this.cancel(mirrored));
    this.log.log({ event: 'remote.ready', agents: this.agents.agents.map(({ name }) => name) });
  }

  private async cancel({ agent: name, taskId, caller }: Mirrored): Promise<boolean> {
    const agent = this.agents.find(name);
    // Removed from AGENTS_FILE: no address or credential is left.
    return agent === undefined || new RemoteCalls(this.agents, agent).of(caller).cancel(taskId);
  }
}

/** Owns calls to the agents of AGENTS_FILE: their cards, credentials and tasks. Knows nothing of callers. */
@Module({})
export class RemoteModule {
  static forRoot({ agents, allow, keyPrefix, callbacks }: RemoteOptions): DynamicModule {
    const egress = new GuardedClient({ ports: [443], allowHttp: false, allow });
    const http = new GuardedHttp(egress);
    const keys = new RemoteKeys(keyPrefix);
    return {
      module: RemoteModule,
      imports: [RedisModule, TaskModule, MetricsModule, BlockModule],
      providers: [
        ...[RemoteAgents, AgentMetrics, AgentGauges],
        ...(callbacks === undefined ? [] : [{ provide: Callbacks, useValue: new Callbacks(callbacks) }]),
        // Nest closes its connections at shutdown.
        { provide: GuardedClient, useValue: egress },
        {
          provide: AgentGate,
          inject: [CommandRedis, AgentMetrics],
          useFactory: (redis: CommandRedis, metrics: AgentMetrics) => new AgentGate(redis, keys, metrics),
        },
        {
          provide: AgentDirectory,
          inject: [CommandRedis, AgentGate, RedisClock, Blocks],
          useFactory: (redis: CommandRedis, gate: AgentGate, clock: RedisClock, blocks: Blocks) =>
            new AgentDirectory(agents, new CardResolver(redis, keys, http, clock), http, gate, blocks),
        },
      ],
      exports: [AgentDirectory],
    };
  }
}
