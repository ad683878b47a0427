import ipaddr from 'ipaddr.js';

/** More proxies than any caller has before it: the rest of a longer list is not read. */
const MAX_HOPS = 16;

/**
 * The address of the caller behind our own proxies. `X-Forwarded-For` is read from its end, since each proxy appends the
 * address that it was called from: an entry is believed as long as the hop that wrote it is within `ingressNetworks`. What
 * a caller writes in front of that changes nothing.
 * @param socketAddress of the connection, which no header can change
 * @param forwardedFor all values of `X-Forwarded-For`, in the order in which they came
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

/** Whether an address is within one of the networks, in CIDR form; IPv4 counts however it is written. */
export function isWithin(address: string | undefined, networks: readonly string[]): boolean {
  if (address === undefined || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return networks.some((network) => {
    const [range, bits] = ipaddr.parseCIDR(network);
    return range.kind() === parsed.kind() && parsed.match(range, bits);
  });
}

/** Some proxies append the port: `203.0.113.7:1234`, `[2001:db8::1]:1234`. Undefined for what is no address. */
function plainAddress(hop: string): string | undefined {
  const text = hop.trim().replace(/^\[([^\]]*)\](:\d+)?$|^([\d.]+):\d+$/, '$1$3');
  return ipaddr.isValid(text) ? ipaddr.process(text).toString() : undefined;
}
