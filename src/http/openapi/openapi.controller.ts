import { Controller, Get, Header, Inject, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ModulesContainer } from '@nestjs/core';
import { AgentCards } from '../../agents/card/agent-cards.js';
import { OperationTable } from '../../operations/executor/operation-table.js';
import { SkillRegistry } from '../../skill/skill.registry.js';
import { callerOf } from '../guards/caller.guard.js';
import { PassportGuard } from '../guards/passport.guard.js';
import { DescribedFeatures, openApiDocument } from './openapi-document.js';

/** The OpenAPI document of the service, for programs that generate clients. */
@UseGuards(PassportGuard)
@Controller()
export class OpenApiController {
  private readonly texts = new Map<string, string>();

  constructor(
    private readonly cards: AgentCards,
    private readonly skills: SkillRegistry,
    private readonly modules: ModulesContainer,
    @Inject(OperationTable) private readonly table: OperationTable,
    @Inject(DescribedFeatures) private readonly features: DescribedFeatures,
  ) {}

  /** Does not change at one address while the process runs. */
  @Get('openapi.json')
  @Header('content-type', 'application/json; charset=utf-8')
  async document(@Req() request: FastifyRequest): Promise<string> {
    const { table, modules, features } = this;
    const at = callerOf(request).askedAt;
    const url = this.cards.url(at);
    const known = this.texts.get(url);
    if (known !== undefined) return known;
    const card = await this.cards.card(at);
    const sources = { card, url, skills: this.skills.options, table, modules, features };
    const text = JSON.stringify(openApiDocument(sources));
    this.texts.set(url, text);
    return text;
  }
}
