import { Body, Controller, Post, Res, UseGuards, UseInterceptors } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AgentCalls } from '../agent-calls.js';
import { TriedAgents } from '../tried-agents.js';
import type { Principal } from '../../../auth/principal.js';
import { CONSOLE_SCOPES } from '../../../auth/scopes.js';
import { ActionAudit, Audited, nameAgent } from '../../../http/guards/action-audit.interceptor.js';
import { Caller } from '../../../http/guards/caller.guard.js';
import { PassportGuard } from '../../../http/guards/passport.guard.js';
import { RequireScope, ScopeGuard } from '../../../http/guards/scope.guard.js';
import { FeedRunner } from '../../../http/binding/feed.runner.js';
import { AnswerType, Summary } from '../../../http/params/summary.js';
import { ValidBody } from '../../../http/params/valid.pipes.js';
import { ConsoleGuard } from '../../../http/console-api/console.guard.js';
import { CallRoom } from './call-room.js';
import { TriedCallDto } from './dto/tried-agent.dto.js';

/** Calls to other agents, made by this service for people who try them. */
@Controller('console/api/agents/call')
@UseGuards(PassportGuard, ScopeGuard, ConsoleGuard)
@UseInterceptors(ActionAudit)
@RequireScope(CONSOLE_SCOPES.tryAgents)
export class TriedCallsController {
  constructor(
    private readonly agents: TriedAgents,
    private readonly calls: AgentCalls,
    private readonly room: CallRoom,
    private readonly feeds: FeedRunner,
  ) {}

  /**
   * Server-Sent Events with the traffic on the wire, until the agent has answered. @throws A2AError, RateLimitedError
   */
  @Post()
  @Summary('Calls another agent and tells what goes over the wire')
  @AnswerType('text/event-stream')
  @Audited('agent.call')
  async call(
    @Caller() caller: Principal,
    @Body(new ValidBody(TriedCallDto)) { agent, binding, version, ...wanted }: TriedCallDto,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    nameAgent(reply.request, agent);
    const reference = this.agents.referenceOf(caller, agent);
    const wish = { ...(binding && { bindings: [binding] }), ...(version && { version }) };
    const free = await this.room.take(caller);
    const { call, frames } = await this.calls.open(caller, reference, { ...wanted, wish }).catch((error: unknown) => {
      free();
      throw error;
    });
    this.feeds.run(reply, caller, {
      events: frames,
      encode: (frame) => [JSON.stringify(frame)],
      leave: () => {
        call.stop();
      },
      ended: free,
    });
  }
}
