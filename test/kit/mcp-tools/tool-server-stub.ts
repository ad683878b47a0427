import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '@parley/protocol/model/json.js';

/** A request as the stub got it. */
export interface StubRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly id: unknown;
  readonly headers: IncomingHttpHeaders;
}

/** How the stub answers a request: with a result, or by itself. */
export type StubAnswer =
  | JsonObject
  | ((request: StubRequest, response: ServerResponse) => JsonObject | undefined | Promise<JsonObject | undefined>);

/** A tool as the stub lists it. */
export interface StubTool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: JsonObject;
  outputSchema?: JsonObject;
  annotations?: JsonObject;
}

export const ECHO_TOOL: StubTool = {
  name: 'echo',
  description: 'Says it again.',
  inputSchema: {
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
    additionalProperties: false,
  },
};

/** An MCP server whose every answer the test writes: obedient by itself, in one era. */
export class ToolServerStub {
  readonly requests: StubRequest[] = [];
  /** Sockets that it has accepted. */
  connections = 0;
  readonly notifications: StubRequest[] = [];
  /** Answers by method; `tools/call` may be one for each tool as `tools/call echo`. */
  readonly answers = new Map<string, StubAnswer>();
  tools: StubTool[] = [ECHO_TOOL];
  /** Called first for every request; true: it has been answered. */
  before: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;
  private readonly server: Server;
  private sessions = 0;

  constructor(readonly era: 'modern' | 'legacy' = 'modern') {
    this.server = createServer((request, response) => {
      void this.handle(request, response);
    });
    this.server.on('connection', () => (this.connections += 1));
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get host(): string {
    return `127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  get url(): string {
    return `http://${this.host}/mcp`;
  }

  /** Calls of tools that came, by name. */
  get calls(): readonly unknown[] {
    return this.requests.filter(({ method }) => method === 'tools/call').map(({ params }) => params.name);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.before(request, response)) return;
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as JsonObject & { readonly params?: JsonObject };
    const got: StubRequest = {
      method: String(body.method),
      params: body.params ?? {},
      id: body.id,
      headers: request.headers,
    };
    if (body.id === undefined) {
      this.notifications.push(got);
      return void response.writeHead(202).end();
    }
    this.requests.push(got);
    await this.answer(got, response);
  }

  private async answer(got: StubRequest, response: ServerResponse): Promise<void> {
    const { method, params, id } = got;
    const named =
      this.answers.get(`${method} ${String(params.name)}`) ?? this.answers.get(method) ?? this.usual(got, response);
    const result = typeof named === 'function' ? await named(got, response) : named;
    if (result === undefined) return;
    const answer = 'error' in result ? result : { result };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  }

  private usual({ method, params }: StubRequest, response: ServerResponse): JsonObject {
    const isModern = this.era === 'modern';
    switch (method) {
      case 'server/discover':
        if (!isModern) return { error: { code: -32601, message: 'Method not found' } };
        return {
          resultType: 'complete',
          supportedVersions: ['2026-07-28'],
          capabilities: { tools: {} },
          ttlMs: 0,
          cacheScope: 'public',
        };
      case 'initialize':
        if (isModern) return { error: { code: -32022, message: 'Unsupported', data: { supported: ['2026-07-28'] } } };
        response.setHeader('mcp-session-id', `session-${String((this.sessions += 1))}`);
        return {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 'stub', version: '1' },
        };
      case 'tools/list':
        return { resultType: 'complete', tools: this.tools, ttlMs: 300_000, cacheScope: 'private' };
      case 'tools/call':
        return { resultType: 'complete', content: [{ type: 'text', text: JSON.stringify(params.arguments) }] };
      default:
        return { error: { code: -32601, message: 'Method not found' } };
    }
  }
}

/** Writes an event stream; what is not ended stays open. */
export function sse(response: ServerResponse, ...messages: readonly JsonObject[]): ServerResponse {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const message of messages) response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
  return response;
}
