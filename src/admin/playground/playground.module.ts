import { type DynamicModule, Module } from '@nestjs/common';
import { RedisModule } from '../../platform/redis/redis.module.js';
import { PolicyModule } from '../../policy/policy.module.js';
import { GuardedHttp } from '../../remote-agents/directory/guarded-http.js';
import { AuthModule } from '../../auth/auth.module.js';
import { GuardedClient } from '../../outbound/guarded-client.js';
import { AgentCalls } from './agent-calls.js';
import { AgentLooks } from './agent-look.js';
import { BegunTasks } from './begun-tasks.store.js';
import { PlaygroundOptions } from './playground.options.js';
import { RegistryCards } from './registry-cards.js';
import { SeenCards } from './seen-cards.store.js';
import { SkillContracts } from './skill-contracts.js';
import { TriedAgents } from './tried-agents.js';

/** Owns the playground of other agents: inspections and calls. Knows no HTTP server. */
@Module({})
export class PlaygroundModule {
  /** @param known modules with the known agents: of AGENTS_FILE, of the registry */
  static forRoot(options: PlaygroundOptions, known: readonly DynamicModule[]): DynamicModule {
    const egress = new GuardedClient({ ports: [443, 8443], allowHttp: false, allow: options.allow });
    return {
      module: PlaygroundModule,
      imports: [RedisModule, PolicyModule, AuthModule, ...known],
      providers: [
        { provide: PlaygroundOptions, useValue: options },
        // Nest closes its connections at shutdown.
        { provide: GuardedClient, useValue: egress },
        { provide: GuardedHttp, useValue: new GuardedHttp(egress) },
        ...[RegistryCards, TriedAgents, BegunTasks, SeenCards, AgentLooks, SkillContracts, AgentCalls],
      ],
      exports: [TriedAgents, AgentLooks, SkillContracts, AgentCalls],
    };
  }
}
