import type { AgentInterface } from '@parley/protocol/model/agent-card.js';

/**
 * The path of HTTP+JSON, an alias of the root: no address of the card has an empty path or ends in a slash that clients
 * would double, so that a gateway which replaces the host and normalises the rest changes nothing else.
 */
export const REST_PATH = 'a2a';

/** Public addresses of the bindings. */
export interface CardAddresses {
  /** Scheme, host and port, without a trailing slash. */
  readonly http: string;
  /** `host:port`; absent where gRPC is off (A2A-GRPC-05). */
  readonly grpc?: string;
}

/**
 * All interfaces of the agent, the preferred one first: an entry for each binding and version (A2A-VER-02, DISP-13).
 */
export function cardInterfaces({ http, grpc }: CardAddresses): readonly AgentInterface[] {
  const bindings = [
    { url: `${http}/`, protocolBinding: 'JSONRPC' },
    { url: `${http}/${REST_PATH}`, protocolBinding: 'HTTP+JSON' },
    ...(grpc === undefined ? [] : [{ url: grpc, protocolBinding: 'GRPC' }]),
  ];
  const rpc = bindings.slice(0, 1);
  return [...of('1.0', bindings), ...of('0.3', bindings), ...of('0.2', rpc), ...of('0.1', rpc)];
}

function of(protocolVersion: string, bindings: readonly Omit<AgentInterface, 'protocolVersion'>[]): AgentInterface[] {
  return bindings.map((binding) => ({ ...binding, protocolVersion }));
}
