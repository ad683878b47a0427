import { Controller, HttpCode, Logger, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { A2AErrorName } from '@parley/protocol/model/errors.js';
import { mcpResultText } from '@parley/protocol/mcp/mcp-message.js';
import { CallerGuard } from '../guards/caller.guard.js';
import { CallRunner } from '../binding/call-runner.js';
import { MCP_PATH } from '../http/fault-text.js';
import { forgetHeaders } from '../http/request/request-headers.js';
import { McpReplies } from './call/mcp-replies.js';
import type { McpRequest } from './call/mcp-request.js';
import { nameOfMcpCall } from './mcp-call-name.js';
import { McpFaults } from './mcp-faults.js';
import { type McpExchange, mcpExchangeOf, type ReadMessage } from './mcp-exchange.js';
import { McpGuard } from './mcp.guard.js';
import { McpMethods } from './mcp-methods.js';
import { SessionCalls } from './session/session-calls.js';
import { taskNameOf } from './session/sessions.js';

/**
 * MCP over Streamable HTTP: the stateless revision, and the older ones with sessions, on one URL. The guard has read the
 * message; here its method runs, and the answer is JSON or an event stream.
 */
@Controller(MCP_PATH)
@UseGuards(CallerGuard)
export class McpController {
  private readonly log = new Logger(McpController.name);

  constructor(
    private readonly methods: McpMethods,
    private readonly sessions: SessionCalls,
    private readonly runner: CallRunner,
    private readonly replies: McpReplies,
    private readonly errors: McpFaults,
  ) {}

  @Post()
  @UseGuards(McpGuard)
  @HttpCode(200)
  async handle(@Req() http: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const exchange = mcpExchangeOf(http);
    const { message } = exchange;
    switch (message.kind) {
      case 'request':
        if (this.methods.isSubscription(message.request)) {
          await this.subscribe(message.request, http, reply);
          return;
        }
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
        await this.sessions.answer(String(JSON.parse(message.id)), message.result, message.request);
        this.replies.accepted(reply);
        break;
    }
    this.runner.end(exchange.running, nameOfMcpCall(exchange), 'ok', this.log);
  }

  private async answer(request: McpRequest): Promise<void> {
    const { reply, id, method, progressToken } = request;
    if (method === 'tools/call') reply.openIfLong(progressToken);
    const text = await this.methods.answer(request);
    if (reply.isGone) reply.leave();
    else await reply.end(mcpResultText(id, text));
  }

  /** The stream may stay open for hours: what its request weighed need not. */
  private async subscribe(request: McpRequest, http: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { id, reply: own } = request;
    const exchange = mcpExchangeOf(http);
    const { ended } = await this.methods.subscribe(request);
    http.mcpExchange = undefined;
    forgetHeaders(http.raw);
    const refuse = (error: unknown): A2AErrorName => this.errors.answer(error, { id, own }, reply);
    void this.runner.follow(exchange.running, nameOfMcpCall(exchange), { ended, refuse }, this.log);
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
  private async take({ method, requestId, session, call }: NotificationMessage): Promise<void> {
    if (method !== 'notifications/cancelled' || session === undefined || requestId === undefined) return;
    await this.sessions.cancel(taskNameOf(session, requestId), call);
  }
}

type NotificationMessage = Extract<ReadMessage, { kind: 'notification' }>;
