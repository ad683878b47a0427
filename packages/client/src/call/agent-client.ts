import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { OperationName, ParamsOf } from '@parley/protocol/model/operations.js';
import type { TaskPushNotificationConfig } from '@parley/protocol/model/push-config.js';
import type { ClientCodec } from '@parley/protocol/codec/client-codec.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { readSse, type SseEvent } from '@parley/protocol/binding/sse-reader.js';
import {
  readEvent,
  readPushConfig,
  readPushConfigs,
  readReply,
  readTask,
  readTaskList,
} from '@parley/protocol/remote/read-remote.js';
import type {
  RemoteEvent,
  RemotePushConfigs,
  RemoteReply,
  RemoteTask,
  RemoteTaskList,
} from '@parley/protocol/remote/remote-model.js';
import { olderCodec } from '@parley/protocol/versions/client-codecs.js';
import { restCallV1 } from '@parley/protocol/v1_0/rest-call.js';
import type { AgentAuth } from '../http/agent-auth.js';
import {
  type AgentAnswer,
  type AgentDeadlines,
  type AgentHttp,
  type AgentRequest,
  readAll,
  withCredential,
} from '../http/agent-http.js';
import type { Endpoint } from './endpoint.js';
import { failedAnswer, failedCall } from '../http/failed-answer.js';
import { checked, isEventStream, isUnknownSend, parsed, rpcResult } from './read-answer.js';
import { invalidAnswer, type RemoteError } from '../http/remote-errors.js';

/** Bounds of an agent's answers, in bytes. */
export interface AnswerBounds {
  /** One answer that is not a stream. */
  readonly answer: number;
  /** One line, and one event, of a stream. */
  readonly line: number;
}

export const DEFAULT_BOUNDS: AnswerBounds = { answer: 16 * 1024 * 1024, line: 4 * 1024 * 1024 };

const UNARY: AgentDeadlines = { headers: 30_000, idle: 30_000, total: 60_000 };
/** Streams of A2A servers send a comment at least every half a minute; none for this long is a dead connection. */
const STREAM: AgentDeadlines = { headers: 30_000, idle: 120_000 };

export interface AgentClientOptions {
  readonly endpoint: Endpoint;
  readonly http: AgentHttp;
  readonly auth: AgentAuth;
  readonly bounds?: AnswerBounds;
  /** Sent with every request, such as `a2a-extensions`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Options of one call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly deadlines?: Partial<AgentDeadlines>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An event of a stream with its id, from which an agent that can resume continues. */
export interface StreamedEvent {
  readonly id: string | undefined;
  readonly event: RemoteEvent;
}

/** Parts of a request beside the operation. */
interface RequestTraits {
  readonly id: string;
  readonly accept: string;
  readonly call: CallOptions;
  readonly usual: AgentDeadlines;
}

/**
 * Calls one agent in the version and binding of its interface. Answers are bounded in bytes and time and checked
 * against the protocol. Every method throws `RemoteError`, and `A2AError` UnsupportedOperation for features that the
 * version lacks.
 */
export class AgentClient {
  constructor(private readonly options: AgentClientOptions) {}

  get endpoint(): Endpoint {
    return this.options.endpoint;
  }

  async sendMessage(params: ParamsOf<'SendMessage'>, call?: CallOptions): Promise<RemoteReply> {
    return readReply(await this.call('SendMessage', params, call));
  }

  streamMessage(params: ParamsOf<'SendStreamingMessage'>, call?: CallOptions): AsyncGenerator<StreamedEvent> {
    return this.stream('SendStreamingMessage', params, call);
  }

  async getTask(params: ParamsOf<'GetTask'>, call?: CallOptions): Promise<RemoteTask> {
    return readTask(await this.call('GetTask', params, call));
  }

  async listTasks(params: ParamsOf<'ListTasks'>, call?: CallOptions): Promise<RemoteTaskList> {
    return readTaskList(await this.call('ListTasks', params, call));
  }

  async cancelTask(params: ParamsOf<'CancelTask'>, call?: CallOptions): Promise<RemoteTask> {
    return readTask(await this.call('CancelTask', params, call));
  }

  /**
   * @param after the id of the last received event, for an agent whose card declares that it resumes; the stream then
   * begins after that event instead of with the task
   */
  subscribe(
    params: ParamsOf<'SubscribeToTask'>,
    { after, ...call }: CallOptions & { readonly after?: string | undefined } = {},
  ): AsyncGenerator<StreamedEvent> {
    const headers = after === undefined ? call.headers : { ...call.headers, 'last-event-id': after };
    return this.stream('SubscribeToTask', params, { ...call, ...(headers === undefined ? {} : { headers }) });
  }

  async createPushConfig(config: TaskPushNotificationConfig, call?: CallOptions): Promise<TaskPushNotificationConfig> {
    return readPushConfig(await this.call('CreateTaskPushNotificationConfig', config, call));
  }

  async getPushConfig(
    params: ParamsOf<'GetTaskPushNotificationConfig'>,
    call?: CallOptions,
  ): Promise<TaskPushNotificationConfig> {
    return readPushConfig(await this.call('GetTaskPushNotificationConfig', params, call));
  }

  async listPushConfigs(
    params: ParamsOf<'ListTaskPushNotificationConfigs'>,
    call?: CallOptions,
  ): Promise<RemotePushConfigs> {
    return readPushConfigs(await this.call('ListTaskPushNotificationConfigs', params, call));
  }

  async deletePushConfig(params: ParamsOf<'DeleteTaskPushNotificationConfig'>, call?: CallOptions): Promise<void> {
    await this.call('DeleteTaskPushNotificationConfig', params, call);
  }

  /** The extended card as the agent has sent it; `read-card.ts` checks it. */
  extendedCard(call?: CallOptions): Promise<unknown> {
    return this.call('GetExtendedAgentCard', {}, call);
  }

  private async call<O extends OperationName>(
    operation: O,
    params: ParamsOf<O>,
    call: CallOptions = {},
  ): Promise<unknown> {
    const { codec } = this.endpoint;
    try {
      return await this.callIn(codec, operation, params, call);
    } catch (error) {
      const older = isUnknownSend(operation, error) ? olderCodec(codec) : undefined;
      if (older === undefined) throw error;
      return this.callIn(older, operation, params, call).catch((again: unknown) => {
        throw isUnknownSend(operation, again) ? error : again;
      });
    }
  }

  private async callIn<O extends OperationName>(
    codec: ClientCodec,
    operation: O,
    params: ParamsOf<O>,
    call: CallOptions,
  ): Promise<unknown> {
    const id = randomUUID();
    const accept = this.endpoint.binding === 'JSONRPC' ? 'application/json' : 'application/a2a+json, application/json';
    const answer = await this.send(this.request(codec, operation, params, { id, accept, call, usual: UNARY }));
    const result = await this.resultOf(answer, id);
    return checked(() => codec.decodeResult(operation, result));
  }

  private async *stream<O extends OperationName>(
    operation: O,
    params: ParamsOf<O>,
    call: CallOptions = {},
  ): AsyncGenerator<StreamedEvent> {
    const { codec } = this.endpoint;
    let hasBegun = false;
    try {
      for await (const event of this.streamIn(codec, operation, params, call)) {
        hasBegun = true;
        yield event;
      }
    } catch (error) {
      const older = !hasBegun && isUnknownSend(operation, error) ? olderCodec(codec) : undefined;
      if (older === undefined) throw error;
      try {
        yield* this.streamIn(older, operation, params, call);
      } catch (again) {
        throw isUnknownSend(operation, again) ? error : again;
      }
    }
  }

  private async *streamIn<O extends OperationName>(
    codec: ClientCodec,
    operation: O,
    params: ParamsOf<O>,
    call: CallOptions,
  ): AsyncGenerator<StreamedEvent> {
    const id = randomUUID();
    const request = this.request(codec, operation, params, { id, accept: 'text/event-stream', call, usual: STREAM });
    const answer = await this.send(request);
    if (!isEventStream(answer)) {
      // An agent that does not stream answers with one object, or with the error.
      const result = await this.resultOf(answer, id);
      yield { id: undefined, event: checked(() => readEvent(codec.decodeEvent(result))) };
      return;
    }
    for await (const event of readSse(answer.body, { mostLineBytes: this.bounds.line, fault: invalidAnswer })) {
      const result = this.eventResult(event, id);
      yield { id: event.id, event: checked(() => readEvent(codec.decodeEvent(result))) };
    }
  }

  private request<O extends OperationName>(
    codec: ClientCodec,
    operation: O,
    params: ParamsOf<O>,
    { id, accept, call, usual }: RequestTraits,
  ): AgentRequest {
    const { binding, tenant, url } = this.endpoint;
    const encoded = codec.encodeCall(operation, params);
    const stated: JsonObject = tenant === undefined ? encoded.params : { ...encoded.params, tenant };
    const rest = binding === 'HTTP+JSON' ? restCallV1(operation, stated) : undefined;
    const body = rest === undefined ? { jsonrpc: '2.0', id, method: encoded.method, params: stated } : rest.body;
    return {
      method: rest?.method ?? 'POST',
      url: rest === undefined ? url : `${url.replace(/\/+$/, '')}${rest.path}`,
      headers: {
        ...this.options.headers,
        ...call.headers,
        accept,
        'a2a-version': codec.version,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      deadlines: { ...usual, ...call.deadlines },
      signal: call.signal,
    };
  }

  /** A refused credential is renewed once, where another one can be had. */
  private async send(request: AgentRequest): Promise<AgentAnswer> {
    const { http, auth } = this.options;
    for (let mayRenew = true; ; mayRenew = false) {
      const credential = await auth.credential(request.signal);
      const answer = await http.send(withCredential(request, credential));
      if (answer.status === 401 && mayRenew && auth.renew(credential)) {
        await failedAnswer(answer);
        continue;
      }
      if (answer.status < 200 || answer.status >= 300) throw await failedAnswer(answer);
      return answer;
    }
  }

  private async resultOf(answer: AgentAnswer, id: string): Promise<unknown> {
    const most = this.bounds.answer;
    const tooLarge = (): RemoteError => invalidAnswer(`The agent's answer has more than ${String(most)} bytes`);
    const text = await readAll(answer.body, most, tooLarge);
    if (text.length === 0 && this.endpoint.binding === 'HTTP+JSON') return undefined;
    const body = parsed(text);
    return this.endpoint.binding === 'JSONRPC' ? rpcResult(body, id, answer.headers['retry-after']) : body;
  }

  private eventResult({ data }: SseEvent, id: string): unknown {
    const body = parsed(Buffer.from(data));
    if (this.endpoint.binding === 'JSONRPC') return rpcResult(body, id);
    if (isJsonObject(body) && isJsonObject(body.error)) throw failedCall(body.error);
    return body;
  }

  private get bounds(): AnswerBounds {
    return this.options.bounds ?? DEFAULT_BOUNDS;
  }
}
