import ipaddr from 'ipaddr.js';

/** More proxies than any caller has before it; further entries are not read. */
const MAX_HOPS = 16;

/**
 * The address of the caller behind our own proxies. Reads `X-Forwarded-For` from its end, since each proxy appends the
 * address that called it: an entry is trusted while the hop that wrote it is within `ingressNetworks`. Entries that a
 * caller wrote before that have no effect.
 * @param socketAddress address of the connection, which no header can change
 * @param forwardedFor all values of `X-Forwarded-For` in their order
 */
export function callerAddress(
  socketAddress: string,
  forwardedFor: readonly string[],
  ingressNetworks: readonly string[],
): string {
  if (ingressNetworks.length === 0 || !isWithin(socketAddress, ingressNetworks)) return socketAddress;
  const hops = forwardedFor.join(',').split(',').slice(-MAX_HOPS).reverse();
  let address = socketAddress;
  for (const hop of hops) {
    const before = plainAddress(hop);
    if (before === undefined) return address;
    address = before;
    if (!isWithin(address, ingressNetworks)) return address;
  }
  return address;
}

/** Whether an address is within one of the networks, in CIDR form; handles every notation of IPv4. */
export function isWithin(address: string | undefined, networks: readonly string[]): boolean {
  if (address === undefined || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return networks.some((network) => {
    const [range, bits] = ipaddr.parseCIDR(network);
    return range.kind() === parsed.kind() && parsed.match(range, bits);
  });
}

/**
 * Strips the port that some proxies append: `203.0.113.7:1234`, `[2001:db8::1]:1234`. Undefined for an invalid address.
 */
function plainAddress(hop: string): string | undefined {
  const text = hop.trim().replace(/^\[([^\]]*)\](:\d+)?$|^([\d.]+):\d+$/, '$1$3');
  return ipaddr.isValid(text) ? ipaddr.process(text).toString() : undefined;
}
