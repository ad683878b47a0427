import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { AgentCardModule } from '../../agents/card/agent-card.module.js';
import { LimitModule } from '../../limits/limit.module.js';
import { GuardsModule } from '../../http/guards/guards.module.js';
import { CallsModule } from '../../http/binding/calls.module.js';
import { FeedRunner } from '../../http/binding/feed.runner.js';
import { SseModule } from '../../http/sse/sse.module.js';
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
  /** @param registry module of the registry */
  static forRoot(registry: DynamicModule): DynamicModule {
    return {
      module: RegistryApiModule,
      imports: [registry, GuardsModule, LimitModule, CallsModule, SseModule, AgentCardModule],
      controllers: [...REGISTRY_API],
      providers: [FeedRunner, RegistryFeedSlots],
    };
  }
}
