import { Controller, Delete, Get, Logger, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { badRequest } from '@parley/protocol/mcp/mcp-fault.js';
import { mcpResultText } from '@parley/protocol/mcp/mcp-message.js';
import { CallerGuard } from '../../guards/caller.guard.js';
import { CallRunner } from '../../binding/call-runner.js';
import { MCP_PATH } from '../../http/fault-text.js';
import { headerOf } from '../../http/request/request-headers.js';
import { readEventId } from '../call/mcp-reply.js';
import type { McpRequest } from '../call/mcp-request.js';
import { nameOfMcpCall } from '../mcp-call-name.js';
import { beginExchange, type McpExchange } from '../mcp-exchange.js';
import { McpFaults } from '../mcp-faults.js';
import { McpGuard, postOnly } from '../mcp.guard.js';
import { resultText } from '../mcp-methods.js';
import { SessionCalls } from './session-calls.js';
import { taskNameOf } from './sessions.js';

/** What sessions of the older revisions have beside `POST`: cut streams go on, and nothing is to be ended. */
@Controller(MCP_PATH)
@UseGuards(CallerGuard)
export class McpSessionController {
  private readonly log = new Logger(McpSessionController.name);

  constructor(
    private readonly sessions: SessionCalls,
    private readonly guard: McpGuard,
    private readonly runner: CallRunner,
    private readonly faults: McpFaults,
  ) {}

  /** Resumes a cut stream of a session. A stream for nothing but our own messages is not offered: there are none. */
  @Get()
  async resume(@Req() http: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const last = headerOf(http, 'last-event-id');
    if (last === undefined) throw postOnly();
    const named = readEventId(last);
    if (named === undefined) throw badRequest('"Last-Event-ID" is no id of an event of this service');
    const running = this.runner.begin(http.id);
    const sides = { http, reply };
    const call = this.guard.callOf({ running }, sides);
    const session = this.guard.sessionOf(http, call);
    const { id, token, place } = named;
    const exchange: McpExchange = { running, revision: session.revision, id, method: 'tools/call' };
    beginExchange(http, exchange, this.faults);
    const asked = { id, method: 'tools/call', params: {}, call, progressToken: token };
    const request = this.guard.sessionRequest(asked, session, sides);
    exchange.message = { kind: 'request', request };
    await this.resumed(request, taskNameOf(session, id), place);
    this.runner.end(running, nameOfMcpCall(exchange), 'ok', this.log);
  }

  /** A session needs no end: nothing is kept of it. */
  @Delete()
  end(): never {
    throw postOnly();
  }

  private async resumed(request: McpRequest, name: string, place: string): Promise<void> {
    const { reply, call } = request;
    const { legacy: _name, ...own } = call;
    reply.stream(place);
    const result = await this.sessions.resume(name, place, { ...request, call: own });
    if (result === undefined || reply.isGone) reply.leave();
    else await reply.end(mcpResultText(request.id, resultText(result, false)));
  }
}
