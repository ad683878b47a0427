import { Controller, Delete, Get, HttpCode, Logger, Post, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { JsonObject } from '../../protocol/json.js';
import { badRequest } from '../../wire/mcp/mcp-fault.js';
import { mcpResultText } from '../../wire/mcp/mcp-message.js';
import { CallerGuard } from '../guards/caller.guard.js';
import { CallRunner } from '../http/call-runner.js';
import { MCP_PATH } from '../http/fault-text.js';
import { headerOf } from '../http/request-headers.js';
import { readEventId } from './call/mcp-reply.js';
import { McpReplies } from './call/mcp-replies.js';
import type { McpRequest } from './call/mcp-request.js';
import { nameOfMcpCall } from './mcp-call-name.js';
import { McpErrorFilter } from './mcp-error.filter.js';
import { type McpExchange, mcpExchangeOf, type ReadMessage } from './mcp-exchange.js';
import { McpGuard, postOnly } from './mcp.guard.js';
import { McpMethods, resultText } from './mcp-methods.js';
import { SessionCalls } from './session/session-calls.js';
import { taskNameOf } from './session/sessions.js';

/**
 * MCP over Streamable HTTP: the stateless revision, and the older ones with sessions, on one URL. The guard has read the
 * message; here its method runs, and the answer is JSON or an event stream.
 */
@Controller(MCP_PATH)
@UseGuards(CallerGuard)
@UseFilters(McpErrorFilter)
export class McpController {
  private readonly log = new Logger(McpController.name);

  constructor(
    private readonly methods: McpMethods,
    private readonly sessions: SessionCalls,
    private readonly guard: McpGuard,
    private readonly runner: CallRunner,
    private readonly replies: McpReplies,
  ) {}

  @Post()
  @UseGuards(McpGuard)
  @HttpCode(200)
  async post(@Req() http: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const exchange = mcpExchangeOf(http);
    const { message } = exchange;
    switch (message.kind) {
      case 'request':
        await this.answer(message.request);
        break;
      case 'initialize':
        this.initialize(message, exchange, reply);
        break;
      case 'notification':
        await this.take(message);
        this.replies.accepted(reply);
        break;
      case 'response':
        await this.sessions.answer(String(message.id), message.result, message.request);
        this.replies.accepted(reply);
        break;
    }
    this.runner.end(exchange.running, nameOfMcpCall(exchange), 'ok', this.log);
  }

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
    http.mcpExchange = exchange;
    const params: JsonObject = token === undefined ? {} : { _meta: { progressToken: token } };
    const { legacy: _name, ...own } = call;
    const request = this.guard.sessionRequest({ id, method: 'tools/call', params, call: own }, session, sides);
    exchange.message = { kind: 'request', request };
    await this.resumed(request, taskNameOf(session, id), place);
    this.runner.end(running, nameOfMcpCall(exchange), 'ok', this.log);
  }

  /** A session needs no end: nothing is kept of it. */
  @Delete()
  end(): never {
    throw postOnly();
  }

  private async answer(request: McpRequest): Promise<void> {
    const { reply, id, method, progressToken } = request;
    if (method === 'tools/call') reply.openIfLong(progressToken);
    const text = await this.methods.answer(request);
    if (reply.isGone) reply.leave();
    else await reply.end(mcpResultText(id, text));
  }

  private initialize(
    { id, params, call }: Extract<ReadMessage, { kind: 'initialize' }>,
    exchange: McpExchange,
    reply: FastifyReply,
  ): void {
    const session = this.sessions.begin(params, call);
    exchange.revision = session.revision;
    this.replies.json(reply, mcpResultText(id, JSON.stringify(this.methods.initialized(session.revision))), {
      'mcp-session-id': session.id,
    });
  }

  /** Of the notifications only the cancel of a session's request changes something. */
  private async take({ method, params, session, call }: NotificationMessage): Promise<void> {
    const { requestId } = params;
    const isCancel = method === 'notifications/cancelled' && session !== undefined;
    if (!isCancel || !(typeof requestId === 'string' || typeof requestId === 'number')) return;
    await this.sessions.cancel(taskNameOf(session, requestId), call);
  }

  private async resumed(request: McpRequest, name: string, place: string): Promise<void> {
    const { reply, call } = request;
    const { legacy: _name, ...own } = call;
    reply.stream();
    const result = await this.sessions.resume(name, place, { ...request, call: own });
    if (result === undefined || reply.isGone) reply.leave();
    else await reply.end(mcpResultText(request.id, resultText(result, false)));
  }
}

type NotificationMessage = Extract<ReadMessage, { kind: 'notification' }>;
