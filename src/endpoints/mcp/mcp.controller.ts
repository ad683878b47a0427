import { Controller, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { mcpResultText } from '@parley/protocol/mcp/mcp-message.js';
import { BindingRunner } from '../../http/binding/binding.runner.js';
import { exchangeOf } from '../../http/binding/exchange.js';
import { CallerGuard } from '../../http/guards/caller.guard.js';
import { forgetHeaders } from '../../http/request/request-headers.js';
import { mcpResult } from './call/mcp-reply.js';
import { McpReplies } from './call/mcp-replies.js';
import type { McpRequest } from './call/mcp-request.js';
import { McpExchange, type ReadMessage } from './mcp-exchange.js';
import { MCP_PATH, mcpFault } from './mcp-faults.js';
import { McpGuard } from './mcp.guard.js';
import { McpMethods } from './mcp-methods.js';
import { SessionCalls } from './session/session-calls.js';
import { taskNameOf } from './session/sessions.js';

/**
 * MCP over Streamable HTTP: the stateless revision, and the older ones with sessions, on one URL. The guard has read
 * the message; the controller runs its method, and answers with JSON or an event stream.
 */
@Controller(MCP_PATH)
@UseGuards(CallerGuard)
export class McpController {
  constructor(
    private readonly methods: McpMethods,
    private readonly sessions: SessionCalls,
    private readonly runner: BindingRunner,
    private readonly replies: McpReplies,
  ) {}

  @Post()
  @UseGuards(McpGuard)
  @HttpCode(200)
  async handle(@Req() http: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const exchange = exchangeOf(http, McpExchange);
    const { message } = exchange;
    switch (message?.kind) {
      case 'request':
        if (this.methods.isSubscription(message.request)) {
          await this.subscribe(exchange, message.request, http);
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
      case undefined:
        throw new Error('The route has no guard that reads its messages');
    }
    this.runner.end(exchange);
  }

  private async answer(request: McpRequest): Promise<void> {
    const { reply, id, method, progressToken } = request;
    if (method === 'tools/call') reply.openIfLong(progressToken);
    const text = await this.methods.answer(request);
    if (reply.isGone) reply.leave();
    else await reply.end(mcpResult(id, text));
  }

  /** Releases the request's budget share: the stream may stay open for hours. */
  private async subscribe(exchange: McpExchange, request: McpRequest, http: FastifyRequest): Promise<void> {
    const { id, reply } = request;
    const { ended } = await this.methods.subscribe(request);
    http.exchange = undefined;
    forgetHeaders(http.raw);
    this.runner.follow(exchange, { ended, fail: (error) => void reply.end(mcpFault(error, id)) });
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

  /** The only notification with an effect cancels a session's request. */
  private async take({ method, requestId, session, call }: NotificationMessage): Promise<void> {
    if (method !== 'notifications/cancelled' || session === undefined || requestId === undefined) return;
    await this.sessions.cancel(taskNameOf(session, requestId), call);
  }
}

type NotificationMessage = Extract<ReadMessage, { kind: 'notification' }>;
