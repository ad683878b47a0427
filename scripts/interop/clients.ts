import type { InteropDriver, OpenedDriver, Operation } from '../../test/interop/driver.js';
import { driverV03 } from '../../test/interop/js/v0-3.js';
import { driverV1 } from '../../test/interop/js/v1.js';
import { ProcessDriver } from './process-driver.js';
import { frameworkDriver, goDriver, javaDriver, pythonDriver, rustDriver, type Toolbox } from './toolbox.js';

/** Every version on every binding that an official client has. */
export interface InteropClient {
  readonly name: string;
  /** The version of A2A that it speaks. */
  readonly speaks: '1.0' | '0.3' | '0.2';
  readonly bindings: readonly string[];
  /** Operations that it does not have: their cells are not run. */
  readonly lacks: readonly Operation[];
  /** Bindings on which its own means send a bearer token, and this driver uses them. */
  readonly guards: readonly string[];
  /** Installs its dependencies, once; gives the way to open it. */
  prepare(toolbox: Toolbox): Promise<OpenDriver>;
}

/** Connects a client on a binding, with a bearer token or without one. */
export type OpenDriver = (url: string, binding: string, token?: string) => Promise<OpenedDriver>;

const ALL = ['JSONRPC', 'HTTP+JSON', 'GRPC'];
const TURNS: readonly Operation[] = ['turn', 'turns'];
/** Only the Go client writes a message in another order each time that it is sent. */
const NOT_GO: readonly Operation[] = [...TURNS, 'repeat'];

const LACKS_LIST: readonly Operation[] = [...NOT_GO, 'list'];
const LACKS_LISTS: readonly Operation[] = [...LACKS_LIST, 'listWebhooks', 'deleteWebhook'];
/** Features of an SDK that frameworks do not show. */
const SDK: readonly Operation[] = [
  'repeat',
  ...['send', 'get', 'cancel', 'subscribe', 'list'],
  ...['setWebhook', 'getWebhook', 'listWebhooks', 'deleteWebhook'],
] as Operation[];

export const INTEROP_CLIENTS: readonly InteropClient[] = [
  {
    ...{ name: 'JS @a2a-js/sdk 1.3.0', speaks: '1.0', bindings: ALL, lacks: NOT_GO, guards: ALL },
    prepare: inProcess(driverV1),
  },
  {
    ...{ name: 'JS @a2a-js/sdk 0.3.13', speaks: '0.3', bindings: ALL, lacks: LACKS_LIST, guards: ALL },
    prepare: inProcess(driverV03),
  },
  {
    ...{ name: 'Python a2a-sdk 1.3.0', speaks: '1.0', bindings: ALL, lacks: NOT_GO, guards: ALL },
    prepare: asProcess(pythonDriver('1.3.0', 'v1')),
  },
  {
    // Its interceptors are for JSON-RPC only.
    ...{ name: 'Python a2a-sdk 0.3.26', speaks: '0.3', bindings: ALL, lacks: LACKS_LISTS, guards: ['JSONRPC'] },
    prepare: asProcess(pythonDriver('0.3.26', 'v0_3')),
  },
  {
    ...{ name: 'Python a2a-sdk 0.2.16', speaks: '0.2', bindings: ['JSONRPC'], guards: ['JSONRPC'] },
    lacks: [...LACKS_LISTS, 'subscribe'],
    prepare: asProcess(pythonDriver('0.2.16', 'v0_2')),
  },
  {
    ...{ name: 'Go a2a-go 2.4.0', speaks: '1.0', bindings: ALL, lacks: TURNS, guards: ALL },
    prepare: asProcess(goDriver('1.0')),
  },
  {
    ...{ name: 'Go a2a-go 2.4.0 (compat 0.3)', speaks: '0.3', bindings: ALL, lacks: [...TURNS, 'list'], guards: ALL },
    prepare: asProcess(goDriver('0.3')),
  },
  {
    ...{ name: 'Java a2a-java-sdk 1.0.0.Alpha3', speaks: '1.0', bindings: ALL, lacks: NOT_GO, guards: ALL },
    prepare: asProcess(javaDriver('v1')),
  },
  {
    ...{ name: 'Java a2a-java-sdk 0.3.3.Final', speaks: '0.3', bindings: ALL, lacks: LACKS_LIST, guards: ALL },
    prepare: asProcess(javaDriver('v0_3')),
  },
  {
    ...{ name: 'Rust a2a-client-lf 0.2.9', speaks: '1.0', bindings: ALL, lacks: NOT_GO, guards: ALL },
    prepare: asProcess(rustDriver()),
  },
];

/** Frameworks for agents: they call other agents in turns of a conversation, and show their answers. */
export const INTEROP_FRAMEWORKS: readonly InteropClient[] = frameworks();

function frameworks(): readonly InteropClient[] {
  const adk = frameworkDriver('google-adk', '2.13.0', { extra: '[a2a]', driver: 'adk' });
  const agentFramework = frameworkDriver('agent-framework-a2a', '1.0.0b261022', { driver: 'agent_framework_agent' });
  const crew = frameworkDriver('crewai', '1.15.30', { extra: '[a2a]', driver: 'crew' });
  const strands = frameworkDriver('strands-agents', '1.62.0', { extra: '[a2a]', driver: 'strands_agent' });
  const http = ['JSONRPC', 'HTTP+JSON'];
  return [
    {
      // It reads the card at `/http`: the whole one has addresses of gRPC, which it refuses (docs/callers/agent-card.md).
      ...{ name: 'google-adk 2.13.0', speaks: '1.0', bindings: ['JSONRPC'], guards: ['JSONRPC'] },
      ...{ lacks: SDK, prepare: asProcess(adk) },
    },
    {
      ...{ name: 'agent-framework-a2a 1.0.0b261022', speaks: '1.0', bindings: http, guards: http },
      ...{ lacks: SDK, prepare: asProcess(agentFramework) },
    },
    {
      ...{ name: 'crewai 1.15.30', speaks: '0.3', bindings: ALL, guards: ALL },
      ...{ lacks: [...SDK, 'stream'], prepare: asProcess(crew) },
    },
    {
      // It cannot name a skill.
      ...{ name: 'strands-agents 1.62.0', speaks: '0.3', bindings: ['JSONRPC'], guards: ['JSONRPC'] },
      ...{ lacks: [...SDK, 'stream', 'turns'], prepare: asProcess(strands) },
    },
  ];
}

type OpenClient = (url: string, binding: string, token?: string) => Promise<Partial<InteropDriver>>;

function inProcess(open: OpenClient): InteropClient['prepare'] {
  const close = (): Promise<void> => Promise.resolve();
  return () => Promise.resolve(async (url, binding, token) => ({ driver: await open(url, binding, token), close }));
}

type Command = readonly [string, ...string[]];

function asProcess(install: (toolbox: Toolbox) => Promise<Command>): InteropClient['prepare'] {
  return async (toolbox) => {
    const [program, ...args] = await install(toolbox);
    return (url, binding, token) => {
      const child = new ProcessDriver([program, ...args, url, binding, ...(token === undefined ? [] : [token])]);
      return Promise.resolve({ driver: driverOf(child), close: () => child.close() });
    };
  };
}

/** The methods of a driver as calls of its process. */
function driverOf(child: ProcessDriver): InteropDriver {
  const ask = (operation: Operation, ...args: readonly unknown[]): Promise<never> =>
    // The cells judge the answer of the process.
    child.call(operation, args) as Promise<never>;
  return {
    card: () => ask('card'),
    send: (message) => ask('send', message),
    repeat: (message, times) => ask('repeat', message, times),
    stream: (message) => ask('stream', message),
    get: (id) => ask('get', id),
    cancel: (id) => ask('cancel', id),
    subscribe: (id) => ask('subscribe', id),
    list: (contextId) => ask('list', contextId),
    setWebhook: (webhook) => ask('setWebhook', webhook),
    getWebhook: (taskId, id) => ask('getWebhook', taskId, id),
    listWebhooks: (taskId) => ask('listWebhooks', taskId),
    deleteWebhook: (taskId, id) => ask('deleteWebhook', taskId, id),
    turn: (text, skill) => ask('turn', text, skill),
    turns: (texts, skill) => ask('turns', texts, skill),
  };
}
