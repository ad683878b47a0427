import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { decodeErrorInfo, decodeStatus, GRPC_STATUS_DETAILS_BIN } from '@a2a-js/sdk/errors/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import type { ServiceError } from '@grpc/grpc-js';
import { DialectClient } from '../../kit/callers/dialect-client.js';
import { GrpcClient } from '../../kit/callers/grpc-client.js';
import { RestClient } from '../../kit/callers/rest-client.js';
import type { RunningApp } from '../../kit/app/running-app.js';

type Parsed = ReturnType<typeof JSON.parse>;

/** A fault as a caller of one binding sees it. */
export interface SeenFault {
  /** JSON-RPC code, HTTP status or gRPC status. */
  readonly code: number;
  /** `google.rpc.ErrorInfo.reason`, or what older versions have in its place. */
  readonly reason: string | undefined;
}

/** The operations whose faults are compared. */
export type AskedOperation = 'GetTask' | 'CancelTask' | 'SendMessage';

/** One version on one binding, as far as the same question can be asked on all of them. */
export interface Way {
  readonly name: string;
  readonly family: 'rpc' | 'rest' | 'grpc';
  readonly version: '1.0' | '0.3' | '0.1';
  /** The task as this way tells of it. */
  task(id: string): Promise<Parsed>;
  /** Asks about a task, or sends a text to it, and must be refused. */
  fault(
    operation: AskedOperation,
    taskId: string,
    message?: { readonly text: string; readonly skillId?: string },
  ): Promise<SeenFault>;
}

type Message = NonNullable<Parameters<Way['fault']>[2]>;
const NOTHING: Message = { text: 'x' };

/** Every version on every binding that has it. */
export function waysTo({ url, grpc = '' }: RunningApp, headers: Readonly<Record<string, string>> = {}): readonly Way[] {
  const v1 = { 'a2a-version': '1.0', ...headers };
  return [
    rpcWay('1.0', new DialectClient(url, v1)),
    rpcWay('0.3', new DialectClient(url, headers)),
    rpcWay('0.1', new DialectClient(url, { 'a2a-version': '0.1', ...headers })),
    restWay('1.0', new RestClient(url, v1)),
    restWay('0.3', new RestClient(url, headers)),
    grpcWay('1.0', new GrpcClient(grpc, A2AService, v1)),
    grpcWay('0.3', new GrpcClient(grpc, LegacyA2AService, headers)),
  ];
}

const RPC_METHODS = {
  '1.0': { GetTask: 'GetTask', CancelTask: 'CancelTask', SendMessage: 'SendMessage' },
  '0.3': { GetTask: 'tasks/get', CancelTask: 'tasks/cancel', SendMessage: 'message/send' },
  '0.1': { GetTask: 'tasks/get', CancelTask: 'tasks/cancel', SendMessage: 'tasks/send' },
} as const;

function rpcWay(version: Way['version'], client: DialectClient): Way {
  return {
    ...{ name: `JSON-RPC ${version}`, family: 'rpc', version },
    task: (id) => client.result(RPC_METHODS[version].GetTask, { id, historyLength: 10 }),
    async fault(operation, id, message = NOTHING) {
      const params = operation === 'SendMessage' ? rpcMessage(version, id, message) : { id };
      const { error } = await client.call(RPC_METHODS[version][operation], params);
      return { code: error.code, reason: error.data?.[0]?.reason ?? error.data?.reason };
    },
  };
}

function rpcMessage(version: Way['version'], taskId: string, message: Message): unknown {
  if (version === '1.0') return { message: messageV1(taskId, message) };
  const { text, skillId } = message;
  const named = { metadata: { skillId } };
  if (version === '0.1') return { id: taskId, message: { role: 'user', parts: [{ type: 'text', text }], ...named } };
  const parts = [{ kind: 'text', text }];
  return {
    message: {
      kind: 'message',
      messageId: crypto.randomUUID(),
      role: 'user',
      parts,
      ...(taskId === '' ? {} : { taskId }),
      ...named,
    },
  };
}

function messageV1(taskId: string, { text, skillId }: Message): object {
  const task = taskId === '' ? {} : { taskId };
  return { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...task, metadata: { skillId } };
}

function restWay(version: '1.0' | '0.3', client: RestClient): Way {
  const root = version === '1.0' ? '' : '/v1';
  return {
    ...{ name: `HTTP+JSON ${version}`, family: 'rest', version },
    task: async (id) => (await client.call('GET', `${root}/tasks/${id}`)).body,
    async fault(operation, id, message = NOTHING) {
      const { status, body } = await {
        GetTask: () => client.call('GET', `${root}/tasks/${id}`),
        CancelTask: () => client.call('POST', `${root}/tasks/${id}:cancel`),
        SendMessage: () => client.call('POST', `${root}/message:send`, restMessage(version, id, message)),
      }[operation]();
      return { code: status, reason: body.error?.details[0].reason ?? body.data?.reason };
    },
  };
}

function restMessage(version: '1.0' | '0.3', taskId: string, message: Message): unknown {
  const { parts, ...rest } = messageV1(taskId, message) as { parts: unknown };
  return { message: version === '1.0' ? { parts, ...rest } : { content: parts, ...rest } };
}

function grpcWay(version: '1.0' | '0.3', client: GrpcClient): Way {
  const byId = (id: string): object =>
    version === '1.0' ? { tenant: '', id } : { name: `tasks/${id}`, historyLength: 0 };
  return {
    ...{ name: `gRPC ${version}`, family: 'grpc', version },
    task: (id) => client.call('getTask', byId(id)),
    async fault(operation, id, message = NOTHING) {
      const method = `${operation.charAt(0).toLowerCase()}${operation.slice(1)}`;
      const request = operation === 'SendMessage' ? grpcMessage(version, id, message) : byId(id);
      const error = await client.call(method, request).then(
        () => undefined,
        (reason: unknown) => reason as ServiceError,
      );
      if (error === undefined) throw new Error(`${operation} succeeded`);
      return { code: error.code, reason: reasonOf(error) };
    },
  };
}

function grpcMessage(version: '1.0' | '0.3', taskId: string, { text, skillId }: Message): unknown {
  const message = {
    messageId: crypto.randomUUID(),
    contextId: '',
    taskId,
    role: 1,
    metadata: { skillId },
    extensions: [],
  };
  if (version === '0.3') {
    return { request: { ...message, content: [{ part: { $case: 'text', value: text } }] }, configuration: undefined };
  }
  const parts = [{ content: { $case: 'text', value: text }, filename: '', mediaType: '' }];
  return { tenant: '', message: { ...message, parts, referenceTaskIds: [] }, configuration: undefined };
}

function reasonOf(error: ServiceError): string | undefined {
  const [bytes] = error.metadata.get(GRPC_STATUS_DETAILS_BIN);
  const [info] = decodeStatus(bytes as Buffer).details;
  return info === undefined ? undefined : decodeErrorInfo(info.value).reason;
}
