/** Headers added by proxies: callers behind a proxy may be remote although the connection is local. */
const FORWARDING = [
  ...['forwarded', 'via', 'x-real-ip', 'x-client-ip', 'true-client-ip', 'cf-connecting-ip'],
  ...['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port', 'x-forwarded-server'],
  ...['x-forwarded-prefix', 'x-forwarded-by', 'x-original-forwarded-for', 'x-original-host'],
];

/** The first of these headers in a request; undefined for one without a visible proxy. */
export function forwardingHeader(has: (name: string) => boolean): string | undefined {
  return FORWARDING.find(has);
}
