import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { A2AError } from '@parley/protocol/model/errors.js';
import { isLoopbackHost } from '../../auth/incoming/loopback.js';
import { isOrigin, listOf } from '../../auth/incoming/origins.js';
import type { ListedAddress } from '../../platform/address/listed-address.js';
import { ConfigError } from '../../platform/config/config-error.js';
import { pathOf } from './request-headers.js';

/** Seconds for which a browser keeps the answer to a preflight. */
const MAX_AGE_S = '600';

/** The pages that may call an endpoint (CORS). */
export interface PageRules {
  /** The name of the setting with the allowed origins, and its value: separated by commas. */
  readonly setting: string;
  readonly allowed: string | undefined;
  readonly takes: (path: string) => boolean;
  /** Lists of the preflight's answer, and the headers that pages may read. */
  readonly methods: string;
  readonly headers: string;
  readonly exposed: string;
}

/** The addresses of the service. */
interface Surroundings {
  readonly host: string;
  readonly addresses: readonly ListedAddress[];
}

/**
 * A Fastify `onRequest` hook for an endpoint that pages call: refuses pages of other origins before any read, and on
 * loopback a foreign name in `Host` (DNS rebinding, MCP-AUTH-4). Answers preflights of allowed pages. Cookies are never
 * asked for.
 * @throws ConfigError for a setting with something that is no origin
 */
export function foreignOrigins({ host, addresses }: Surroundings, rules: PageRules): onRequestHookHandler {
  const allowed = originsOf(rules);
  const isLoopback = isLoopbackHost(host);
  const hosts = addresses.flatMap(({ url }) => hostsOf(new URL(url)));
  return (request, reply, done) => {
    if (!rules.takes(pathOf(request))) {
      done();
      return;
    }
    const { origin } = request.headers;
    const isAllowed = origin === undefined || allowed.includes(origin) || (isLoopback && isOfThisMachine(origin));
    if ((isLoopback && !isHostOurs(request, hosts)) || !isAllowed) {
      done(new A2AError('PermissionDenied', `The origin of this request is not allowed: see ${rules.setting}`));
      return;
    }
    if (origin !== undefined) allowPage(origin, rules, reply);
    if (request.method === 'OPTIONS') void reply.status(204).send();
    else done();
  };
}

function originsOf({ setting, allowed }: PageRules): readonly string[] {
  const origins = listOf(allowed);
  const wrong = origins.find((origin) => !isOrigin(origin));
  if (wrong !== undefined) throw new ConfigError(`${setting}: ${wrong} is no origin, as https://app.example`);
  return origins;
}

/** The host of an address as clients write it, with its default port or without. */
function hostsOf({ protocol, host, hostname, port }: URL): readonly string[] {
  return port === '' ? [host, `${hostname}:${protocol === 'https:' ? '443' : '80'}`] : [host];
}

function isHostOurs({ headers: { host } }: FastifyRequest, hosts: readonly string[]): boolean {
  return host === undefined || hosts.includes(host.toLowerCase()) || isLoopbackHost(host.replace(/:\d*$/, ''));
}

function isOfThisMachine(origin: string): boolean {
  return URL.canParse(origin) && isLoopbackHost(new URL(origin).hostname);
}

function allowPage(origin: string, { methods, headers, exposed }: PageRules, reply: FastifyReply): void {
  void reply.headers({
    'access-control-allow-origin': origin,
    'access-control-allow-methods': methods,
    'access-control-allow-headers': headers,
    'access-control-expose-headers': exposed,
    'access-control-max-age': MAX_AGE_S,
    vary: 'Origin',
  });
}
