import { type DynamicModule, Module } from '@nestjs/common';
import { PolicyModule } from '../../policy/policy.module.js';
import { ApprovedCardsModule } from '../../remote-agents/directory/approved-cards.js';
import { GuardedHttp } from '../../remote-agents/directory/guarded-http.js';
import { GuardedClient } from '../../outbound/guarded-client.js';
import { AgentCalls } from './agent-calls.js';
import { AgentPreviews } from './agent-preview.js';
import { CallRoom, CallSlots } from './api/call-room.js';
import { TriedAgentsController } from './api/tried-agents.controller.js';
import { TriedCallsController } from './api/tried-calls.controller.js';
import { BegunTasks } from './begun-tasks.store.js';
import { PlaygroundOptions } from './playground.options.js';
import { SeenCards } from './seen-cards.store.js';
import { SkillContracts } from './skill-contracts.js';
import { TriedAgents } from './tried-agents.js';

/** Owns the playground of other agents: inspections and calls, and their routes of the console's API. */
@Module({})
export class PlaygroundModule {
  /**
   * @param base dependencies of every route of the console's API
   * @param remote the agents of AGENTS_FILE, if there are any
   */
  static forRoot(options: PlaygroundOptions, base: DynamicModule, remote: DynamicModule | undefined): DynamicModule {
    const egress = new GuardedClient({ ports: [443, 8443], allowHttp: false, allow: options.allow });
    return {
      module: PlaygroundModule,
      imports: [base, PolicyModule, ApprovedCardsModule, ...(remote === undefined ? [] : [remote])],
      controllers: [TriedAgentsController, TriedCallsController],
      providers: [
        { provide: PlaygroundOptions, useValue: options },
        // Nest closes its connections at shutdown.
        { provide: GuardedClient, useValue: egress },
        { provide: GuardedHttp, useValue: new GuardedHttp(egress) },
        ...[TriedAgents, BegunTasks, SeenCards, AgentPreviews, SkillContracts, AgentCalls, CallSlots, CallRoom],
      ],
    };
  }
}
