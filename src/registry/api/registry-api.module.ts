import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { AgentCardModule } from '../../agents/card/agent-card.module.js';
import { LimitModule } from '../../limits/limit.module.js';
import { ArdController } from './ard.controller.js';
import { EntriesController } from './entries.controller.js';
import { RegistryEventsController, RegistryFeedSlots } from './registry-events.controller.js';
import { RegistryLogController } from './registry-log.controller.js';

/** Controllers of the registry; each route has a scope of its own. */
export const REGISTRY_API: readonly Type[] = [
  ...[ArdController, EntriesController, RegistryEventsController, RegistryLogController],
];

/** Owns the registry's API over HTTP: ARD search, management, events, log. */
@Module({})
export class RegistryApiModule {
  /**
   * @param registry module of the registry
   * @param binding dependencies of every binding
   */
  static forRoot(registry: DynamicModule, binding: DynamicModule): DynamicModule {
    return {
      module: RegistryApiModule,
      imports: [registry, binding, LimitModule, AgentCardModule],
      controllers: [...REGISTRY_API],
      providers: [RegistryFeedSlots],
    };
  }
}
