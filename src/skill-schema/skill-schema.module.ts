import { Module } from '@nestjs/common';
import { SkillSchemaController } from './skill-schema.controller.js';

/** Owns `GET /skills/{id}/schema`. It knows the registered skills and nothing of tasks. */
@Module({ controllers: [SkillSchemaController] })
export class SkillSchemaModule {}
