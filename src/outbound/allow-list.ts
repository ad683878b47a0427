import { blockOf, parseAddress, type AddressBlock } from '@parley/client/address/ip-address.js';
import { isNeverAllowed } from './is-public-address.js';

/** One internal receiver that may be called: exact host and port, and the network that its name must resolve to. */
export interface AllowEntry {
  /** Lower case, without a trailing dot; an IPv6 literal without brackets. */
  readonly host: string;
  readonly port: number;
  readonly block: AddressBlock;
  /** True: plain http is allowed; else https only. */
  readonly plainHttp: boolean;
}

/** An unreadable allow-list. The message names the entry and is meant for the operator. */
export class AllowListError extends Error {
  override readonly name = 'AllowListError';
}

const ENTRY = /^(?<host>\[[0-9a-f:.]+\]|[a-z0-9_.-]+):(?<port>\d{1,5})=(?<cidr>[0-9a-f:.]+\/\d{1,3})(?<http>!http)?$/;

/**
 * Reads `host:port=CIDR[!http]` entries separated by semicolons, for example
 * `receiver.team-a.svc.cluster.local:8443=10.42.0.0/16; localhost:8888=127.0.0.1/32!http`. Throws `AllowListError`.
 */
export function parseAllowList(text: string): readonly AllowEntry[] {
  const entries = text.split(';').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '').map(parseEntry);
}

function parseEntry(text: string): AllowEntry {
  const groups = ENTRY.exec(text.toLowerCase())?.groups;
  if (groups === undefined) throw new AllowListError(`"${text}" is not of the form host:port=CIDR[!http]`);
  const port = Number(groups.port);
  if (port < 1 || port > 65_535) throw new AllowListError(`"${text}" has no port between 1 and 65535`);
  return {
    host: hostOf(groups.host ?? ''),
    port,
    block: parseBlock(groups.cidr ?? '', text),
    plainHttp: groups.http !== undefined,
  };
}

function hostOf(text: string): string {
  const host = text.startsWith('[') ? text.slice(1, -1) : text.replace(/\.$/, '');
  return parseAddress(host)?.toString() ?? host;
}

function parseBlock(cidr: string, entry: string): AddressBlock {
  let block: AddressBlock;
  try {
    block = blockOf(cidr);
  } catch (cause) {
    throw new AllowListError(`"${entry}" has no address block like 10.42.0.0/16`, { cause });
  }
  if (isNeverAllowed(block[0])) {
    throw new AllowListError(`"${entry}" opens link-local or metadata addresses, which is never allowed`);
  }
  return block;
}
