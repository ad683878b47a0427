import { Controller, Get, Header, Inject, UseGuards } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { AgentCards } from '../../agents/card/agent-cards.js';
import { OperationTable } from '../../operations/executor/operation-table.js';
import { SkillRegistry } from '../../skill/skill.registry.js';
import { PassportGuard } from '../guards/passport.guard.js';
import { DescribedFeatures, openApiDocument } from './openapi-document.js';

/** The OpenAPI document of the service, for programs that generate clients. */
@UseGuards(PassportGuard)
@Controller()
export class OpenApiController {
  private text: string | undefined;

  constructor(
    private readonly cards: AgentCards,
    private readonly skills: SkillRegistry,
    private readonly modules: ModulesContainer,
    @Inject(OperationTable) private readonly table: OperationTable,
    @Inject(DescribedFeatures) private readonly features: DescribedFeatures,
  ) {}

  /** Does not change while the process runs. */
  @Get('openapi.json')
  @Header('content-type', 'application/json; charset=utf-8')
  async document(): Promise<string> {
    if (this.text !== undefined) return this.text;
    const { table, modules, features } = this;
    const card = await this.cards.card();
    this.text = JSON.stringify(openApiDocument({ card, skills: this.skills.options, table, modules, features }));
    return this.text;
  }
}
