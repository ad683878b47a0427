import type { JsonObject } from '@parley/protocol/model/json.js';
import { MODERN_REVISION } from '@parley/protocol/mcp/revision.js';

/** A JSON-RPC message as the service has sent it. */
export interface McpText {
  /** Of its event, where its stream names events. */
  readonly eventId?: string;
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: JsonObject;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: JsonObject };
}

/** An answer: its status and headers, and all messages of it with the ids of their events. */
export interface McpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly messages: readonly McpText[];
  readonly eventIds: readonly string[];
  /** The response among the messages. */
  readonly response: McpText;
}

const NAMES: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};
export const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

/** Speaks the stateless revision with nothing but fetch, so that tests see the bytes of the service. */
export class McpClient {
  private nextId = 1;

  constructor(
    readonly url: string,
    private readonly headers: Readonly<Record<string, string>> = {},
    private readonly capabilities: JsonObject = {},
  ) {}

  /** The same caller with other capabilities. */
  with(capabilities: JsonObject): McpClient {
    return new McpClient(this.url, this.headers, capabilities);
  }

  async request(method: string, params: JsonObject = {}, init: RequestInit = {}): Promise<McpAnswer> {
    return readAnswer(await this.send(method, params, init));
  }

  /** A request whose answer is read as it comes. */
  send(method: string, params: JsonObject = {}, init: RequestInit = {}): Promise<Response> {
    const { _meta: meta = {}, ...rest } = params;
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': MODERN_REVISION,
      'io.modelcontextprotocol/clientCapabilities': this.capabilities,
      ...(meta as object),
    };
    const member = NAMES[method];
    const name = member === undefined ? {} : { 'mcp-name': encoded(String(rest[member])) };
    const headers = { 'mcp-protocol-version': MODERN_REVISION, 'mcp-method': method, ...name };
    this.nextId += 1;
    const body = { jsonrpc: '2.0', id: this.nextId, method, params: { ...rest, _meta } };
    return this.post(body, headers, init);
  }

  /** The result of a request; throws its error. */
  async result(method: string, params: JsonObject = {}): Promise<JsonObject> {
    const { response } = await this.request(method, params);
    if (response.result === undefined) throw new Error(`${method}: ${JSON.stringify(response.error)}`);
    return response.result;
  }

  call(name: string, args: JsonObject = {}, more: JsonObject = {}): Promise<JsonObject> {
    return this.result('tools/call', { name, arguments: args, ...more });
  }

  post(body: unknown, headers: Readonly<Record<string, string>> = {}, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.url}/mcp`, {
      method: 'POST',
      ...init,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...this.headers,
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  async get(headers: Readonly<Record<string, string>>): Promise<McpAnswer> {
    return readAnswer(await this.open(headers));
  }

  /** The stream of a `GET`, to be read as it comes. */
  open(headers: Readonly<Record<string, string>>): Promise<Response> {
    const accept = 'text/event-stream';
    return fetch(`${this.url}/mcp`, { headers: { accept, ...this.headers, ...headers } });
  }
}

/** A session of an older revision, at any replica. */
export class McpSession {
  private constructor(
    private readonly client: McpClient,
    readonly id: string,
    readonly begun: JsonObject,
  ) {}

  static async begin(
    client: McpClient,
    capabilities: JsonObject = {},
    protocolVersion = '2025-11-25',
  ): Promise<McpSession> {
    const params = { protocolVersion, capabilities, clientInfo: { name: 'test', version: '0' } };
    const answer = await readAnswer(await client.post({ jsonrpc: '2.0', id: 0, method: 'initialize', params }));
    return new McpSession(client, answer.headers.get('mcp-session-id') ?? '', answer.response.result ?? {});
  }

  /** The same session at another replica. */
  at(client: McpClient): McpSession {
    return new McpSession(client, this.id, this.begun);
  }

  post(message: JsonObject, init: RequestInit = {}): Promise<Response> {
    return this.client.post({ jsonrpc: '2.0', ...message }, { 'mcp-session-id': this.id }, init);
  }

  async request(id: string | number, method: string, params: JsonObject = {}): Promise<McpAnswer> {
    return readAnswer(await this.post({ id, method, params }));
  }

  resume(lastEventId: string): Promise<McpAnswer> {
    return this.client.get({ 'mcp-session-id': this.id, 'last-event-id': lastEventId });
  }
}

async function readAnswer(response: Response): Promise<McpAnswer> {
  const text = await response.text();
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const frames = isStream ? text.split('\n\n') : [];
  const data = frames.flatMap((frame) => /^data: (.+)$/m.exec(frame)?.[1] ?? []);
  const messages = (isStream ? data : text === '' ? [] : [text]).map((one) => JSON.parse(one) as McpText);
  const eventIds = frames.flatMap((frame) => /^id: (.+)$/m.exec(frame)?.[1] ?? []);
  const found = messages.find(({ result, error }) => result !== undefined || error !== undefined);
  return { status: response.status, headers: response.headers, messages, eventIds, response: found ?? {} };
}

/** The messages of a stream as they come; the stream is closed when the loop is left. */
export async function* messagesOf(response: Response): AsyncGenerator<McpText> {
  if (response.body === null) throw new Error('The answer has no body');
  let text = '';
  for await (const bytes of response.body.pipeThrough(new TextDecoderStream())) {
    text += bytes;
    const frames = text.split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) {
      const data = /^data: (.+)$/m.exec(frame)?.[1];
      const eventId = /^id: (.+)$/m.exec(frame)?.[1];
      if (data === undefined) continue;
      yield { ...(JSON.parse(data) as McpText), ...(eventId === undefined ? {} : { eventId }) };
    }
  }
}

function encoded(value: string): string {
  return /^[\x21-\x7e]+$/.test(value) ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}
