/** Headers that proxies add to a request: who reaches a port of this machine through one may be anywhere. */
const FORWARDING = [
  ...['forwarded', 'via', 'x-real-ip', 'x-client-ip', 'true-client-ip', 'cf-connecting-ip'],
  ...['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port', 'x-forwarded-server'],
  ...['x-forwarded-prefix', 'x-forwarded-by', 'x-original-forwarded-for', 'x-original-host'],
];

/** The first of these headers that a request has; undefined for one that came without a proxy, as far as can be seen. */
export function forwardingHeader(has: (name: string) => boolean): string | undefined {
  return FORWARDING.find(has);
}
