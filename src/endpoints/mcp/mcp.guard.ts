import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Call } from '../../operations/call.js';
import { traceFields } from '../../platform/logging/call-fields.js';
import { addLineFields } from '../../platform/logging/line-fields.js';
import { A2AError } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { clientCapabilities } from '@parley/protocol/mcp/client-capabilities.js';
import { badRequest, McpFault, MCP_CODES } from '@parley/protocol/mcp/mcp-fault.js';
import { idIn, type McpMessage, metaOf, readMcpMessage } from '@parley/protocol/mcp/mcp-message.js';
import { META, MODERN_REVISION, revisionsOf } from '@parley/protocol/mcp/revision.js';
import { checkRouting, checkVersionHeader } from '@parley/protocol/mcp/routing-headers.js';
import { callerOf } from '../../http/guards/caller.guard.js';
import { BindingGuard } from '../../http/binding/binding.guard.js';
import { BindingRunner } from '../../http/binding/binding.runner.js';
import type { Sides } from '../../http/binding/exchange.js';
import { HttpCalls } from '../../http/binding/http-calls.js';
import { HttpFault } from '../../http/errors.js';
import { bytesOf, readJson } from '../../http/request/request-body.js';
import { headerOf } from '../../http/request/request-headers.js';
import { McpOptions } from './call/mcp.options.js';
import { eventPrefix } from './call/mcp-reply.js';
import { McpReplies } from './call/mcp-replies.js';
import { statedTrace } from './call/stated-trace.js';
import type { McpRequest } from './call/mcp-request.js';
import { McpExchange, type ReadMessage } from './mcp-exchange.js';
import { type Session, Sessions, taskNameOf } from './session/sessions.js';

/**
 * The method guard of MCP: one URL serves all methods and revisions, so the guard reads the message, determines the
 * revision, and compares headers and body. Its operations check the rights of a method.
 */
@Injectable()
export class McpGuard extends BindingGuard<McpExchange> {
  constructor(
    private readonly runner: BindingRunner,
    private readonly calls: HttpCalls,
    private readonly sessions: Sessions,
    private readonly replies: McpReplies,
    @Inject(McpOptions) private readonly options: McpOptions,
  ) {
    super();
  }

  protected override begin({ request }: Sides): McpExchange {
    return new McpExchange(this.runner.begin(request));
  }

  protected override read(exchange: McpExchange, bytes: unknown, sides: Sides): Promise<void> {
    requireAccepted(sides.request);
    const json = bytesOf(bytes);
    const body = readJson(json);
    exchange.id = idIn(body, json);
    exchange.message = this.messageIn(readMcpMessage(body, json), exchange, sides);
    return Promise.resolve();
  }

  private messageIn(message: McpMessage, exchange: McpExchange, sides: Sides): ReadMessage {
    const { request } = sides;
    const params = message.kind === 'response' ? {} : message.params;
    const stated = metaOf(params)[META.version];
    const header = headerOf(request, 'mcp-protocol-version');
    if (message.kind !== 'response') exchange.method = message.method;
    if (stated !== undefined || header?.trim() === MODERN_REVISION) return this.modern(message, exchange, sides);
    return this.ofSession(message, exchange, sides);
  }

  /** A message of the stateless revision (MCP-VER-1), which is self-contained. */
  private modern(message: McpMessage, exchange: McpExchange, sides: Sides): ReadMessage {
    const plain = this.callOf(exchange, sides);
    if (message.kind === 'response') throw badRequest('Responses are of older revisions: repeat the request instead');
    const { method, params } = message;
    const meta = metaOf(params);
    const trace = statedTrace(plain.trace, meta, headerOf(sides.request, 'traceparent'));
    const call = trace === plain.trace ? plain : { ...plain, trace };
    addLineFields(traceFields(trace));
    if (message.kind === 'notification') return { kind: 'notification', method, call };
    const { [META.version]: version, [META.capabilities]: declared } = meta;
    if (typeof version !== 'string' || !isJsonObject(declared)) {
      throw badRequest(`_meta needs "${META.version}" and "${META.capabilities}"`, MCP_CODES.invalidParams);
    }
    const headers = routingHeaders(sides.request);
    checkVersionHeader(headers, version);
    if (version !== MODERN_REVISION || this.options.eras === 'legacy') throw this.unsupported(version);
    checkRouting(headers, { method, params });
    const request: McpRequest = {
      id: message.id,
      method,
      params,
      meta,
      revision: MODERN_REVISION,
      isModern: true,
      capabilities: clientCapabilities(declared),
      progressToken: message.progressToken,
      call,
      reply: this.replies.of(sides.reply),
      header: (name) => headerOf(sides.request, name),
    };
    return { kind: 'request', request };
  }

  /** A message of an older revision: it begins a session, or names one. */
  private ofSession(message: McpMessage, exchange: McpExchange, sides: Sides): ReadMessage {
    const call = this.callOf(exchange, sides);
    if (message.kind === 'request' && message.method === 'initialize') {
      if (this.options.eras === 'modern') throw this.unsupported(message.params.protocolVersion);
      return { kind: 'initialize', id: message.id, params: message.params, call };
    }
    const session = this.sessionOf(sides.request, call);
    exchange.revision = session.revision;
    if (message.kind === 'notification') {
      const { method, requestId } = message;
      return { kind: 'notification', method, session, call, ...(requestId === undefined ? {} : { requestId }) };
    }
    if (message.kind === 'request') {
      return { kind: 'request', request: this.sessionRequest({ ...message, call }, session, sides) };
    }
    const { id, result } = message;
    const request = this.sessionRequest({ id, method: '', params: {}, call }, session, sides);
    return { kind: 'response', id, result, request };
  }

  /** A request of a session. Session and id name its task, so that any replica finds it. */
  sessionRequest(
    asked: Pick<McpRequest, 'id' | 'method' | 'params' | 'call' | 'progressToken'>,
    { revision, capabilities, nonce }: Session,
    sides: Sides,
  ): McpRequest {
    const { id, method, params, progressToken } = asked;
    const meta = metaOf(params);
    const hasKey = Object.keys(meta).some((name) => name.startsWith('parley/idempotency'));
    const clientTaskId = taskNameOf({ revision, capabilities, nonce }, id);
    const call = hasKey ? asked.call : { ...asked.call, legacy: { clientTaskId } };
    // A request with a key is retried under that key: no name leads to its task.
    const reply = this.replies.of(sides.reply, hasKey ? undefined : eventPrefix(id, progressToken));
    return { id, method, params, meta, revision, isModern: false, capabilities, progressToken, call, reply };
  }

  /** @throws A2AError without a session of this caller */
  sessionOf(http: FastifyRequest, { owner }: Pick<Call, 'owner'>): Session {
    const id = headerOf(http, 'mcp-session-id');
    if (id !== undefined && this.options.eras !== 'modern') return this.sessions.open(id, owner);
    const versions = revisionsOf(this.options.eras).join(', ');
    throw badRequest(`Send _meta of ${MODERN_REVISION}, or begin a session by "initialize". Versions: ${versions}`);
  }

  /** The call behind an HTTP request of the authenticated caller. */
  callOf({ running }: Pick<McpExchange, 'running'>, { request, reply }: Sides): Call {
    const call = this.calls.of(request, reply, callerOf(request), { version: '1.0', facts: running.facts });
    if (call.lastEventId === undefined) return call;
    const { lastEventId: _notOfTask, ...own } = call;
    return own;
  }

  private unsupported(requested: unknown): McpFault {
    const data: JsonObject = { supported: revisionsOf(this.options.eras), requested };
    const message = `Unsupported protocol version. Supported: ${revisionsOf(this.options.eras).join(', ')}`;
    return new McpFault('VersionNotSupported', message, MCP_CODES.unsupportedVersion, { status: 400, data });
  }
}

function routingHeaders(http: FastifyRequest): Parameters<typeof checkRouting>[0] {
  return {
    version: headerOf(http, 'mcp-protocol-version'),
    method: headerOf(http, 'mcp-method'),
    name: headerOf(http, 'mcp-name'),
  };
}

/** The answer may be JSON or an event stream: a client must accept both. */
function requireAccepted(http: FastifyRequest): void {
  const accepted = headerOf(http, 'accept') ?? '*/*';
  const takes = (type: string): boolean => accepted.includes(type);
  if (takes('*/*') || (takes('application/json') && takes('text/event-stream'))) return;
  throw new HttpFault('InvalidRequest', 'Accept must name application/json and text/event-stream', 406);
}

/** The answer to an unsupported `GET` or `DELETE`. */
export function postOnly(): A2AError {
  return new HttpFault('MethodNotFound', 'This endpoint takes POST only', 405, { allow: 'POST' });
}
