import { Module } from '@nestjs/common';
import { AgentCardController } from './agent-card.controller.js';
import { HomeController } from './home.controller.js';
import { JwksController } from './jwks.controller.js';
import { ProtectedResourceController } from './protected-resource.controller.js';
import { SkillSchemaController } from './skill-schema.controller.js';

/** Owns the documents that clients discover the service by: agent card, key set, OAuth metadata, schemas of skills. */
@Module({
  controllers: [
    AgentCardController,
    HomeController,
    JwksController,
    ProtectedResourceController,
    SkillSchemaController,
  ],
})
export class WellKnownModule {}
