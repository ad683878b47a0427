import { Controller, Get, NotFoundException, Param, UseGuards } from '@nestjs/common';
import { SkillRegistry } from '../../skill/skill.registry.js';
import { type SkillSchema, skillSchemaOf } from '@parley/sdk/skill/contract/skill-schema.js';
import { Summary } from '../params/summary.js';
import { PassportGuard } from '../guards/passport.guard.js';

/** Publishes the input and output contracts of skills, for people and for programs that build requests. */
@UseGuards(PassportGuard)
@Controller('skills')
export class SkillSchemaController {
  constructor(private readonly skills: SkillRegistry) {}

  /** `{ id, input?, output? }` with JSON Schemas; 404 for an unknown skill. */
  @Get(':id/schema')
  @Summary('Reads the contract of a skill')
  schema(@Param('id') id: string): { readonly id: string } & SkillSchema {
    const skill = this.skills.find(id);
    if (skill === undefined) {
      throw new NotFoundException('There is no such skill');
    }
    return { id, ...skillSchemaOf(skill.options) };
  }
}
