import { Controller, Delete, Get, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { badRequest } from '@parley/protocol/mcp/mcp-fault.js';
import { CallerGuard } from '../../../http/guards/caller.guard.js';
import { BindingRunner } from '../../../http/binding/binding.runner.js';
import { headerOf } from '../../../http/request/request-headers.js';
import { mcpResult, readEventId } from '../call/mcp-reply.js';
import type { McpRequest } from '../call/mcp-request.js';
import { McpExchange } from '../mcp-exchange.js';
import { MCP_PATH } from '../mcp-faults.js';
import { McpGuard, postOnly } from '../mcp.guard.js';
import { resultText } from '../mcp-methods.js';
import { SessionCalls } from './session-calls.js';
import { taskNameOf } from './sessions.js';

/** Session methods of the older revisions besides `POST`: resuming a cut stream, and ending a session. */
@Controller(MCP_PATH)
@UseGuards(CallerGuard)
export class McpSessionController {
  constructor(
    private readonly sessions: SessionCalls,
    private readonly guard: McpGuard,
    private readonly runner: BindingRunner,
  ) {}

  /** Resumes a cut stream of a session. A stream of server messages is not offered: there are none. */
  @Get()
  async resume(@Req() http: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const last = headerOf(http, 'last-event-id');
    if (last === undefined) throw postOnly();
    const named = readEventId(last);
    if (named === undefined) throw badRequest('"Last-Event-ID" is no id of an event of this service');
    const exchange = new McpExchange(this.runner.begin(http));
    const sides = { request: http, reply };
    const call = this.guard.callOf(exchange, sides);
    const session = this.guard.sessionOf(http, call);
    const { id, token, place } = named;
    exchange.revision = session.revision;
    exchange.id = id;
    exchange.method = 'tools/call';
    http.exchange = exchange;
    const asked = { id, method: 'tools/call', params: {}, call, progressToken: token };
    const request = this.guard.sessionRequest(asked, session, sides);
    exchange.message = { kind: 'request', request };
    await this.resumed(request, taskNameOf(session, id), place);
    this.runner.end(exchange);
  }

  /** A session needs no end: it has no stored state. */
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
    else await reply.end(mcpResult(request.id, resultText(result, false)));
  }
}
