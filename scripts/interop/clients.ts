import type { InteropDriver, OpenedDriver, Operation } from '../../test/interop/driver.js';
import { driverV03 } from '../../test/interop/js/v0-3.js';
import { driverV1 } from '../../test/interop/js/v1.js';
import { ProcessDriver } from './process-driver.js';
import { adkDriver, goDriver, javaDriver, pythonDriver, type Toolbox } from './toolbox.js';

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
  /** Installs what it needs, once; gives the way to open it. */
  prepare(toolbox: Toolbox): Promise<OpenDriver>;
}

/** Connects a client on a binding, with a bearer token or without one. */
export type OpenDriver = (url: string, binding: string, token?: string) => Promise<OpenedDriver>;

const ALL = ['JSONRPC', 'HTTP+JSON', 'GRPC'];
const LACKS_LIST: readonly Operation[] = ['list'];
const LACKS_LISTS: readonly Operation[] = ['list', 'listWebhooks', 'deleteWebhook'];

export const INTEROP_CLIENTS: readonly InteropClient[] = [
  {
    ...{ name: 'JS @a2a-js/sdk 1.3.0', speaks: '1.0', bindings: ALL, lacks: [], guards: ALL },
    prepare: inProcess(driverV1),
  },
  {
    ...{ name: 'JS @a2a-js/sdk 0.3.13', speaks: '0.3', bindings: ALL, lacks: LACKS_LIST, guards: ALL },
    prepare: inProcess(driverV03),
  },
  {
    ...{ name: 'Python a2a-sdk 1.3.0', speaks: '1.0', bindings: ALL, lacks: [], guards: ALL },
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
    // What it fetches a card for: to read it, and to call the agent in a turn of its runner.
    ...{ name: 'Python google-adk 2.13.0', speaks: '1.0', bindings: ['JSONRPC'], guards: ['JSONRPC'] },
    lacks: [...LACKS_LISTS, 'send', 'get', 'cancel', 'subscribe', 'setWebhook', 'getWebhook'],
    prepare: asProcess(adkDriver('2.13.0')),
  },
  {
    ...{ name: 'Go a2a-go 2.4.0', speaks: '1.0', bindings: ALL, lacks: [], guards: ALL },
    prepare: asProcess(goDriver('1.0')),
  },
  {
    ...{ name: 'Go a2a-go 2.4.0 (compat 0.3)', speaks: '0.3', bindings: ALL, lacks: LACKS_LIST, guards: ALL },
    prepare: asProcess(goDriver('0.3')),
  },
  {
    ...{ name: 'Java a2a-java-sdk 1.0.0.Alpha3', speaks: '1.0', bindings: ALL, lacks: [], guards: ALL },
    prepare: asProcess(javaDriver('v1')),
  },
  {
    ...{ name: 'Java a2a-java-sdk 0.3.3.Final', speaks: '0.3', bindings: ALL, lacks: LACKS_LIST, guards: ALL },
    prepare: asProcess(javaDriver('v0_3')),
  },
];

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
    // What the process answers is what the cells judge.
    child.call(operation, args) as Promise<never>;
  return {
    card: () => ask('card'),
    send: (message) => ask('send', message),
    stream: (message) => ask('stream', message),
    get: (id) => ask('get', id),
    cancel: (id) => ask('cancel', id),
    subscribe: (id) => ask('subscribe', id),
    list: (contextId) => ask('list', contextId),
    setWebhook: (webhook) => ask('setWebhook', webhook),
    getWebhook: (taskId, id) => ask('getWebhook', taskId, id),
    listWebhooks: (taskId) => ask('listWebhooks', taskId),
    deleteWebhook: (taskId, id) => ask('deleteWebhook', taskId, id),
  };
}
