import { type DynamicModule, Module } from '@nestjs/common';
import { AgentCardModule } from '../../agents/card/agent-card.module.js';
import type { ListedResource } from '../../agents/card/ard/ard-documents.js';
import { PushModule } from '../../webhooks/push.module.js';
import { AuthModule } from '../../auth/auth.module.js';
import { CallsModule } from '../binding/calls.module.js';
import { AgentCardController } from './agent-card.controller.js';
import { DiscoveryController, ListedResources } from './discovery.controller.js';
import { HomeController } from './home.controller.js';
import { JwksController } from './jwks.controller.js';
import { ProtectedResourceController } from './protected-resource.controller.js';
import { SkillSchemaController } from './skill-schema.controller.js';

/** Owns the discovery documents of the service: agent card, key set, OAuth metadata, schemas of skills. */
@Module({})
export class WellKnownModule {
  /**
   * @param has whether webhooks are enabled, whose keys are then in the key set
   * @param listed resources of this service besides the agent
   */
  static forRoot(has: { readonly webhooks: boolean }, listed: readonly ListedResource[]): DynamicModule {
    return {
      module: WellKnownModule,
      imports: [AgentCardModule, AuthModule, CallsModule, ...(has.webhooks ? [PushModule] : [])],
      providers: [{ provide: ListedResources, useValue: listed }],
      controllers: [
        AgentCardController,
        DiscoveryController,
        HomeController,
        JwksController,
        ProtectedResourceController,
        SkillSchemaController,
      ],
    };
  }
}
