import { startJsServer } from '../../test/interop/servers/js.js';
import { type RunningServer, startForeignServer } from './foreign-server.js';
import { goServer, type InstallServer, javaServer, pythonServer, type Toolbox } from './toolbox.js';

/** An official server with the skills of the cells. */
export interface InteropServer {
  readonly name: string;
  /** Those that our client speaks. */
  readonly interfaces: readonly ServerInterface[];
  /** Installs its dependencies, once; gives the way to start it: with a secret that its calls must have, or open. */
  prepare(toolbox: Toolbox): Promise<(secret?: string) => Promise<RunningServer>>;
}

export interface ServerInterface {
  readonly speaks: '1.0' | '0.3';
  readonly binding: 'JSONRPC' | 'HTTP+JSON';
}

const V1: readonly ServerInterface[] = [
  { speaks: '1.0', binding: 'JSONRPC' },
  { speaks: '1.0', binding: 'HTTP+JSON' },
];
const V03: readonly ServerInterface[] = [{ speaks: '0.3', binding: 'JSONRPC' }];

export const INTEROP_SERVERS: readonly InteropServer[] = [
  { name: 'JS server @a2a-js/sdk 1.3.0', interfaces: [...V1, ...V03], prepare: () => Promise.resolve(startJsServer) },
  {
    ...{ name: 'Python server a2a-sdk 1.3.0', interfaces: [...V1, ...V03] },
    prepare: asProcess(pythonServer('1.3.0', 'server_v1')),
  },
  {
    ...{ name: 'Python server a2a-sdk 0.3.26', interfaces: V03 },
    prepare: asProcess(pythonServer('0.3.26', 'server_v0_3')),
  },
  { name: 'Go server a2a-go 2.4.0', interfaces: [...V1, ...V03], prepare: asProcess(goServer()) },
  {
    // Its server for 1.0 is in no registry that this project builds from.
    ...{ name: 'Java server a2a-java-sdk 0.3.3.Final', interfaces: V03 },
    prepare: asProcess(javaServer()),
  },
];

function asProcess(install: InstallServer): InteropServer['prepare'] {
  return async (toolbox) => {
    const command = await install(toolbox);
    return async (secret) => {
      const [program, ...args] = await command();
      return startForeignServer([program, ...args, ...(secret === undefined ? [] : [secret])]);
    };
  };
}
