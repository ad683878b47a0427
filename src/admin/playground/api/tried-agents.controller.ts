import { Body, Controller, Get, HttpCode, Post, Req, UseGuards, UseInterceptors } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type AgentPreview, AgentPreviews } from '../agent-preview.js';
import { type SkillContract, SkillContracts } from '../skill-contracts.js';
import { TriedAgents } from '../tried-agents.js';
import type { Principal } from '../../../auth/principal.js';
import { CONSOLE_SCOPES } from '../../../auth/scopes.js';
import { ActionAudit, Audited, nameAgent } from '../../../http/guards/action-audit.interceptor.js';
import { Caller } from '../../../http/guards/caller.guard.js';
import { PassportGuard } from '../../../http/guards/passport.guard.js';
import { RequireScope, ScopeGuard } from '../../../http/guards/scope.guard.js';
import { Summary } from '../../../http/params/summary.js';
import { ValidBody } from '../../../http/params/valid.pipes.js';
import { ConsoleGuard } from '../../../http/console-api/console.guard.js';
import { CallRoom } from './call-room.js';
import { TriedAgentDto, TriedSkillDto } from './dto/tried-agent.dto.js';

/**
 * Other agents in the playground: this service reads their cards and calls them, instead of the page. The caller's own
 * credential is sent to none of them.
 */
@Controller('console/api/agents')
@UseGuards(PassportGuard, ScopeGuard, ConsoleGuard)
@UseInterceptors(ActionAudit)
@RequireScope(CONSOLE_SCOPES.tryAgents)
export class TriedAgentsController {
  constructor(
    private readonly agents: TriedAgents,
    private readonly looks: AgentPreviews,
    private readonly contracts: SkillContracts,
    private readonly room: CallRoom,
  ) {}

  @Get()
  @Summary('Lists the agents of AGENTS_FILE that the caller may try')
  list(@Caller() caller: Principal): { readonly agents: readonly string[] } {
    return { agents: this.agents.listed(caller) };
  }

  /** Card, signature, and whether the interfaces answer. @throws A2AError InvalidParams, RateLimitedError */
  @Post('card')
  @Summary('Reads the card of another agent and checks it')
  @HttpCode(200)
  @Audited('agent.look')
  async card(
    @Caller() caller: Principal,
    @Body(new ValidBody(TriedAgentDto)) { agent }: TriedAgentDto,
    @Req() request: FastifyRequest,
  ): Promise<AgentPreview> {
    nameAgent(request, agent);
    const reference = this.agents.referenceOf(caller, agent);
    const free = await this.room.take(caller);
    return this.looks.look(caller, reference).finally(free);
  }

  /** The contract in an agent's card for a skill. @throws A2AError InvalidParams, RateLimitedError */
  @Post('contract')
  @Summary('Reads what a skill of another agent takes')
  @HttpCode(200)
  @Audited('agent.contract')
  async contract(
    @Caller() caller: Principal,
    @Body(new ValidBody(TriedSkillDto)) { agent, skill }: TriedSkillDto,
    @Req() request: FastifyRequest,
  ): Promise<SkillContract> {
    nameAgent(request, agent);
    const reference = this.agents.referenceOf(caller, agent);
    const free = await this.room.take(caller);
    return this.contracts.of(caller, reference, skill).finally(free);
  }
}
