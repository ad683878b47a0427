import { setTimeout as pause } from 'node:timers/promises';
import type { AgentAuth } from '@parley/client/http/agent-auth.js';
import { type AgentAnswer, type AgentHttp, readAll } from '@parley/client/http/agent-http.js';
import { RemoteError } from '@parley/client/http/remote-errors.js';
import { readSse } from '@parley/protocol/binding/sse-reader.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { MODERN_REVISION } from '@parley/protocol/mcp/revision.js';
import { discard, failure, headerText, translated } from './http-answer.js';
import {
  canceledText,
  changesTools,
  notificationText,
  progressIn,
  readMessage,
  replyText,
  requestText,
  type ServerMessage,
} from './message.js';
import { type ClientInfo, type Era, PEER_BOUNDS, type Peer, type PeerBounds, type PeerCall } from './peer.js';
import { type Handshake, startSession } from './session.js';
import { badAnswer, ToolError } from './tool-error.js';

export interface HttpPeerOptions {
  readonly url: string;
  readonly http: AgentHttp;
  readonly auth: AgentAuth;
  readonly era: Era;
  readonly client: ClientInfo;
  readonly bounds?: PeerBounds;
}

/** Deadline of a notification and of the handshake. */
const SHORT_MS = 10_000;
/** The content of one request. */
interface Sending {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A tool server over Streamable HTTP, in the stateless revision or with a session. Follows nothing from the server: no
 * redirect, no link, no metadata.
 */
export class HttpPeer implements Peer {
  /** Each request has its own connection, and a lost session is reopened. */
  readonly isOpen = true;
  private lastId = 0;
  private session: Promise<Handshake> | undefined;
  private changed: () => void = () => undefined;

  constructor(private readonly options: HttpPeerOptions) {}

  onChange(changed: () => void): void {
    this.changed = changed;
  }

  async call(call: PeerCall): Promise<JsonObject> {
    if (this.options.era === 'modern') return this.request(call, modernHeaders(call), this.options.client);
    const session = await this.opened();
    try {
      return await this.request(call, sessionHeaders(session));
    } catch (error) {
      // The server has lost the session, so it has done nothing.
      if (!(error instanceof ToolError && error.status === 404 && session.id !== undefined)) throw error;
      this.session = undefined;
      return this.request(call, sessionHeaders(await this.opened()));
    }
  }

  async close(): Promise<void> {
    const session = await this.session?.catch(() => undefined);
    this.session = undefined;
    if (session?.id === undefined) return;
    const deadlines = { headers: SHORT_MS, idle: SHORT_MS, total: SHORT_MS };
    const headers = { ...(await this.credential()), ...sessionHeaders(session) };
    // A server may ignore this; it then ends its sessions itself.
    const answer = await this.options.http
      .send({ method: 'DELETE', url: this.options.url, headers, deadlines })
      .catch(() => undefined);
    if (answer !== undefined) await discard(answer).catch(() => undefined);
  }

  private opened(): Promise<Handshake> {
    this.session ??= startSession({
      client: this.options.client,
      call: async (call) => {
        let id: string | undefined;
        const result = await this.request(call, {}, undefined, (answer) => {
          id = answer.headers['mcp-session-id'];
        });
        return { result, ...(id === undefined ? {} : { id }) };
      },
      notify: (method, session) =>
        this.post({ body: notificationText(method, {}), headers: sessionHeaders(session), timeoutMs: SHORT_MS }).then(
          discard,
        ),
    }).catch((error: unknown) => {
      this.session = undefined;
      throw error;
    });
    return this.session;
  }

  private async request(
    call: PeerCall,
    headers: Readonly<Record<string, string>>,
    client?: ClientInfo,
    seen: (answer: AgentAnswer) => void = () => undefined,
  ): Promise<JsonObject> {
    const id = ++this.lastId;
    const { signal, timeoutMs } = call;
    const body = requestText(id, call, client);
    try {
      const answer = await this.post({ body, headers, timeoutMs, signal });
      seen(answer);
      return await this.resultOf(answer, id, { call, headers });
    } catch (error) {
      // In the stateless revision the closed stream is the cancel; a session needs a notification.
      if (signal?.aborted === true && client === undefined) await this.cancel(id, headers);
      throw translated(error, signal);
    }
  }

  /** A refused credential is renewed once, if possible. */
  private async post({ body, headers, timeoutMs, signal }: Sending): Promise<AgentAnswer> {
    const { http, auth, url } = this.options;
    for (let mayRenew = true; ; mayRenew = false) {
      const credential = await auth.credential();
      const answer = await http.send({
        ...{ method: 'POST', url, body, signal },
        headers: {
          ...headers,
          ...credential.headers,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        deadlines: { headers: timeoutMs, idle: timeoutMs, total: timeoutMs },
      });
      if (answer.status === 401 && mayRenew && auth.renew(credential)) await discard(answer);
      else if (answer.status >= 200 && answer.status < 300) return answer;
      else throw await failure(answer);
    }
  }

  private async credential(): Promise<Readonly<Record<string, string>>> {
    const { headers = {} } = await this.options.auth.credential();
    return headers;
  }

  private async resultOf(answer: AgentAnswer, id: number, sent: Sent): Promise<JsonObject> {
    const { 'content-type': type = '', 'content-encoding': coding = 'identity' } = answer.headers;
    if (coding !== 'identity') throw badAnswer(`The answer is coded (${coding}), which was not accepted`);
    if (type.toLowerCase().startsWith('text/event-stream')) return this.streamed(answer, id, sent);
    if (!type.toLowerCase().startsWith('application/json'))
      throw badAnswer(`The answer is no JSON, but ${type || 'nothing'}`);
    const most = this.bounds.message;
    const tooLarge = (): RemoteError =>
      new RemoteError('invalid-answer', `The answer has more than ${String(most)} bytes`);
    const result = this.taken(readMessage(await readAll(answer.body, most, tooLarge)), id);
    if (result === undefined) throw badAnswer('The answer is none to the request');
    return result;
  }

  /** Reads until the response of the request; ignores the rest. */
  private async streamed({ body }: AgentAnswer, id: number, { call, headers }: Sent): Promise<JsonObject> {
    let messages = 0;
    for await (const { data } of readSse(this.bounded(body), {
      mostLineBytes: this.bounds.message,
      fault: badAnswer,
    })) {
      if ((messages += 1) > this.bounds.messages) throw badAnswer('The stream has too many messages');
      if (data === '') continue;
      const message = readMessage(Buffer.from(data));
      const progress = progressIn(message, id);
      if (progress !== undefined) call.onProgress?.(progress);
      else if (message.kind === 'request') await this.reply(message, headers);
      else if (changesTools(message)) this.changed();
      const result = this.taken(message, id);
      if (result !== undefined) return result;
    }
    throw new ToolError('lost', 'The stream ended without the response');
  }

  /** The result in a message; undefined for a message that is not a response. @throws ToolError */
  private taken(message: ServerMessage, id: number): JsonObject | undefined {
    if (message.kind !== 'result' && message.kind !== 'error') return undefined;
    if (message.id !== id) throw badAnswer('The answer has the id of another request');
    if (message.kind === 'error') throw message.error;
    return message.result;
  }

  private async *bounded(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const piece of body) {
      bytes += piece.length;
      if (bytes > this.bounds.stream) throw badAnswer(`The stream has more than ${String(this.bounds.stream)} bytes`);
      yield piece;
    }
  }

  private async reply(
    request: Extract<ServerMessage, { kind: 'request' }>,
    headers: Readonly<Record<string, string>>,
  ): Promise<void> {
    await discard(await this.post({ body: replyText(request), headers, timeoutMs: SHORT_MS }));
  }

  private async cancel(id: number, headers: Readonly<Record<string, string>>): Promise<void> {
    const sent = this.post({ body: canceledText(id), headers, timeoutMs: SHORT_MS }).then(discard);
    // The server may be gone; a canceled run must not wait for it.
    await Promise.race([sent.catch(() => undefined), pause(1000, undefined, { ref: false })]);
  }

  private get bounds(): PeerBounds {
    return this.options.bounds ?? PEER_BOUNDS;
  }
}

/** Facts about the request that its stream needs. */
interface Sent {
  readonly call: PeerCall;
  readonly headers: Readonly<Record<string, string>>;
}

function modernHeaders({ method, name, headers }: PeerCall): Readonly<Record<string, string>> {
  return {
    ...headers,
    'mcp-protocol-version': MODERN_REVISION,
    'mcp-method': method,
    ...(name === undefined ? {} : { 'mcp-name': headerText(name) }),
  };
}

function sessionHeaders({ id, revision }: Handshake): Readonly<Record<string, string>> {
  return { 'mcp-protocol-version': revision, ...(id === undefined ? {} : { 'mcp-session-id': id }) };
}
