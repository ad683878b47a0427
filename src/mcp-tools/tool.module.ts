import { type DynamicModule, Inject, Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { MetricsModule } from '../platform/metrics/metrics.module.js';
import { CommandRedis } from '../platform/redis/connection/connections.js';
import { RedisModule } from '../platform/redis/redis.module.js';
import { GuardedHttp } from '../remote-agents/directory/guarded-http.js';
import { depthLeftOf } from '../remote-agents/mirror/delegation.js';
import type { AllowEntry } from '../outbound/allow-list.js';
import { GuardedClient } from '../outbound/guarded-client.js';
import type { SecretBox } from '../secrets/secret-box.js';
import { longToolSkill } from '@parley/sdk/skill/tools/skill-tool.js';
import { SkillRegistry } from '../skill/skill.registry.js';
import { MirrorStore, type Mirrored } from '../tasks/tree/mirror.store.js';
import { TaskModule } from '../tasks/task.module.js';
import { CredentialStore } from './connection/credential.store.js';
import type { ClientInfo } from './client/peer.js';
import { ExposedToolSkill } from './skills/exposed-tool.skill.js';
import { EraStore, sharedEras } from './connection/era.store.js';
import { LongTasks } from './skills/long-tasks.js';
import { LongToolSkill } from './skills/long-tool.skill.js';
import type { ToolServerSettings } from './settings/server-file.js';
import { ToolKeys } from './tool.keys.js';
import { ToolMetrics } from './tool.metrics.js';
import { ToolPeers } from './connection/tool-peers.js';
import { type CallOrigin, ToolServerPool } from './connection/tool-server-pool.js';

export interface ToolModuleOptions {
  readonly servers: readonly ToolServerSettings[];
  readonly allow: readonly AllowEntry[];
  readonly keyPrefix: string;
  readonly client: ClientInfo;
  /** Decrypts credentials of tenants; absent without keys. */
  readonly box?: SecretBox | undefined;
}

/** Provides the tools of MCP_SERVERS_FILE to the skills of this service, and forwards cancels to them. */
@Injectable()
export class SkillToolServers implements OnModuleInit {
  private readonly tasks: LongTasks;

  constructor(
    @Inject(ToolServerPool) private readonly pool: ToolServerPool,
    private readonly skills: SkillRegistry,
    private readonly mirrors: MirrorStore,
  ) {
    this.tasks = new LongTasks(pool);
  }

  onModuleInit(): void {
    this.skills.provideTools(this.pool);
    for (const server of this.pool.servers) {
      for (const { name, exposed } of server.tools) {
        if (exposed !== undefined) this.skills.provideHandler(exposed.id, new ExposedToolSkill(server.name, name));
      }
      for (const tool of server.tools.filter(({ isLong }) => isLong)) {
        const handler = new LongToolSkill(server, tool, { pool: this.pool, tasks: this.tasks, mirrors: this.mirrors });
        this.skills.provideHandler(longToolSkill(server.name, tool.name), handler);
      }
    }
    this.mirrors.onCancel((mirrored) => this.cancel(mirrored), 'tool');
  }

  private async cancel({ agent, tenant = '', taskId }: Mirrored): Promise<boolean> {
    // Removed from MCP_SERVERS_FILE: no address or credential is left.
    return !this.pool.knows(agent) || this.tasks.cancel(agent, tenant, taskId);
  }
}

/** Owns calls to the servers of MCP_SERVERS_FILE: connections, pins and credentials. Knows nothing of callers. */
@Module({})
export class ToolModule {
  static forRoot(options: ToolModuleOptions): DynamicModule {
    const egress = new GuardedClient({ ports: [443], allowHttp: false, allow: options.allow });
    return {
      module: ToolModule,
      imports: [RedisModule, TaskModule, MetricsModule],
      providers: [
        SkillToolServers,
        ToolMetrics,
        // Nest closes its connections at shutdown.
        { provide: GuardedClient, useValue: egress },
        {
          provide: ToolServerPool,
          inject: [CommandRedis, ToolMetrics, MirrorStore],
          useFactory: (redis: CommandRedis, metrics: ToolMetrics, mirrors: MirrorStore) =>
            poolOf(options, { redis, metrics, mirrors, egress }),
        },
      ],
    };
  }
}

interface Surroundings {
  readonly redis: CommandRedis;
  readonly metrics: ToolMetrics;
  readonly mirrors: MirrorStore;
  readonly egress: GuardedClient;
}

function poolOf(
  { servers, keyPrefix, client, box }: ToolModuleOptions,
  { redis, metrics, mirrors, egress }: Surroundings,
): ToolServerPool {
  const keys = new ToolKeys(keyPrefix);
  const peers = new ToolPeers({
    ...{ http: new GuardedHttp(egress), client, eras: new EraStore(sharedEras(redis), keys) },
    credentials: box && new CredentialStore(redis, keys, box),
  });
  const originOf = async (taskId: string): Promise<CallOrigin> => {
    if (taskId === '') return { hopsLeft: depthLeftOf(undefined), trace: {} };
    const [before, trace] = await Promise.all([mirrors.beganWith(taskId), mirrors.traceOf(taskId)]);
    return { hopsLeft: depthLeftOf(before), trace };
  };
  return new ToolServerPool({ servers, peers, metrics, originOf });
}
