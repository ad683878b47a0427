import type { AgentCard, AgentInterface } from '@parley/protocol/model/agent-card.js';
import { CLIENT_CODECS, clientCodecOf } from '@parley/protocol/versions/client-codecs.js';
import type { ClientCodec } from '@parley/protocol/codec/client-codec.js';
import { RemoteError } from '../http/remote-errors.js';

/** The bindings that the client speaks. */
export const BINDINGS = ['JSONRPC', 'HTTP+JSON'] as const;
export type Binding = (typeof BINDINGS)[number];

/** The interface of an agent that calls go to. */
export interface Endpoint {
  readonly url: string;
  readonly binding: Binding;
  readonly codec: ClientCodec;
  /** Sent with every request, exactly as the card has it; absent where the card has none (A2A 1.0 §8.3.2). */
  readonly tenant: string | undefined;
}

export interface EndpointWish {
  /** Bindings in order of preference; the card's own order decides among the others. */
  readonly bindings?: readonly string[];
  /** Only interfaces of this version, such as `0.3`. */
  readonly version?: string;
  /** Whether versions below 1.0 are used without being asked for. */
  readonly allowsOlder?: boolean;
}

/**
 * Chooses the interface: the preferred bindings first, then the order of the card, and of one binding the newest version.
 * @throws RemoteError unsupported, with the interfaces of the card
 */
export function chooseEndpoint(
  card: AgentCard,
  { bindings = [], version, allowsOlder = true }: EndpointWish,
): Endpoint {
  const usable = card.supportedInterfaces.flatMap((one) => {
    const endpoint = endpointOf(one);
    if (endpoint === undefined) return [];
    const isWanted =
      version === undefined ? allowsOlder || endpoint.codec.version === '1.0' : matches(endpoint, version);
    return isWanted ? [endpoint] : [];
  });
  const order = [...bindings.map(bindingName), ...usable.map(({ binding }) => binding)];
  for (const binding of order) {
    const found = usable.filter((endpoint) => endpoint.binding === binding);
    const [first] = found;
    if (first !== undefined) return found.reduce((newest, one) => (isNewer(one, newest) ? one : newest), first);
  }
  const offered = card.supportedInterfaces.map((one) => `${one.protocolBinding} ${one.protocolVersion}`).join(', ');
  const asked = version === undefined ? '' : ` of version ${version}`;
  throw new RemoteError('unsupported', `The card has no interface that this client speaks${asked}; it has: ${offered}`);
}

/** The interface as it is called; undefined for one that this client does not speak. */
export function endpointOf({ url, protocolBinding, protocolVersion, tenant }: AgentInterface): Endpoint | undefined {
  const binding = BINDINGS.find((one) => one === bindingName(protocolBinding));
  const codec = clientCodecOf(protocolVersion);
  if (binding === undefined || codec === undefined) return undefined;
  // The HTTP+JSON binding of 0.3 is not spoken: every known server of 0.3 has JSON-RPC.
  if (binding === 'HTTP+JSON' && codec.version !== '1.0') return undefined;
  return { url, binding, codec, tenant: tenant === undefined || tenant === '' ? undefined : tenant };
}

function isNewer(one: Endpoint, other: Endpoint): boolean {
  return CLIENT_CODECS.indexOf(one.codec) < CLIENT_CODECS.indexOf(other.codec);
}

function matches({ codec }: Endpoint, version: string): boolean {
  return clientCodecOf(version)?.version === codec.version;
}

/** `json-rpc`, `JSONRPC`, `rest` and `http+json` are names that people write. */
export function bindingName(name: string): string {
  const plain = name.toUpperCase().replaceAll(/[-_ ]/g, '');
  if (plain === 'REST' || plain === 'HTTPJSON' || plain === 'HTTP') return 'HTTP+JSON';
  return plain;
}
