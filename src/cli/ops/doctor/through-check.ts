import type { JSONWebKeySet } from 'jose';
import { verifyCard } from '@parley/client/card/verify-card.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { type Finding, fine } from '../../../main/finding.js';
import { checkCallsThrough } from './through-calls.js';
import { type Answer, ask, bad, CHECK, type ThroughOptions } from './through-http.js';

const CARD = '/.well-known/agent-card.json';
const V1 = { 'a2a-version': '1.0', accept: 'application/json' };
/** Headers of the card that caches and crawlers need. */
const KEPT = ['etag', 'cache-control', 'vary', 'link'];

/** Compares what callers behind a gateway see with what the service says, and names each difference with its repair. */
export async function checkThrough(options: ThroughOptions): Promise<readonly Finding[]> {
  const through = options.through.replace(/\/+$/, '');
  const [seen, said, keys] = await Promise.all([
    ask(`${through}${CARD}`, { headers: V1 }, options.timeoutMs),
    ask(`${options.direct}${CARD}`, { headers: V1 }, options.timeoutMs),
    ask(`${options.direct}/.well-known/jwks.json`, {}, options.timeoutMs),
  ]);
  if (said.json === undefined)
    return [
      bad(`No card of the service itself at ${options.direct}: ${said.fault}`, 'Name its own address with --url'),
    ];
  if (seen.json === undefined) return [bad(`No card at ${through}${CARD}: ${seen.fault}`, unreadable(seen))];
  const card = await cardFindings({ seen, said, through, keys: keys.json });
  const calls = await checkCallsThrough({ ...options, through, card: seen.json });
  return [...(card.length === 0 ? [fine(CHECK, `The card at ${through} is that of the service`)] : card), ...calls];
}

interface Seen {
  readonly seen: Answer;
  readonly said: Answer;
  readonly through: string;
  readonly keys: JsonObject | undefined;
}

async function cardFindings(sides: Seen): Promise<readonly Finding[]> {
  const { seen, said, through } = sides;
  const [there, here] = [seen.json ?? {}, said.json ?? {}];
  const dropped = KEPT.filter((name) => said.headers.has(name) && !seen.headers.has(name));
  const text = `Headers of the card are dropped: ${dropped.join(', ')}`;
  return [
    ...memberFindings(there, here, through),
    ...(dropped.length > 0 ? [mild(text, 'Let the gateway pass them on')] : []),
    ...interfaceFindings(urlsIn(there), urlsIn(here), through),
    ...(await signatureFindings(sides)),
  ];
}

/** Members that no gateway has a reason to change. */
function memberFindings(there: JsonObject, here: JsonObject, through: string): readonly Finding[] {
  if ('url' in there && !('url' in here))
    return [bad('The request header A2A-Version is dropped', 'Let the gateway pass A2A-Version and A2A-Extensions on')];
  const names = [...new Set([...Object.keys(here), ...Object.keys(there)])].filter(
    (name) => name !== 'supportedInterfaces' && name !== 'signatures',
  );
  const changed = names.filter((name) => textOf(here[name], through) !== textOf(there[name], through));
  if (changed.length === 0) return [];
  const fix =
    'No rule of a known gateway does that: compare both cards, and turn it off, or let the gateway sign its own';
  return [bad(`The gateway changes of the card: ${changed.join(', ')}`, fix)];
}

async function signatureFindings({ seen, said, through, keys }: Seen): Promise<readonly Finding[]> {
  const isSigned = said.json !== undefined && 'signatures' in said.json;
  if (!isSigned) return [];
  if (keys === undefined) return [mild('The keys of the service cannot be fetched', 'Name its own address with --url')];
  const found = await verifyCard(seen.json as unknown as AgentCard, keys as unknown as JSONWebKeySet);
  if (found.outcome === 'verified') return [];
  if (found.outcome === 'absent') {
    const fix = 'Callers can verify nothing: let it pass them on, or sign its own card';
    return [mild('The gateway drops the signatures of the card', fix)];
  }
  const fix = `Add ${through} to PUBLIC_URL: each card has the signatures of all`;
  return [bad(`No signature of the card holds: ${found.why}`, fix)];
}

/** Addresses differ between the listed ones of the service: the text of one member, without them. */
function textOf(member: unknown, through: string): string {
  return JSON.stringify(member ?? null)
    .replaceAll(/https?:\/\/[^/"\s]+/g, '')
    .replaceAll(new URL(through).pathname.replace(/\/$/, '') || '\0', '');
}

function interfaceFindings(seen: readonly string[], said: readonly string[], through: string): readonly Finding[] {
  const { origin, pathname } = new URL(through);
  const prefix = pathname.replace(/\/$/, '');
  const ways = seen.filter((url) => /^https?:/.test(url)).map((url) => new URL(url));
  const foreign = ways.find((url) => url.origin !== origin);
  if (foreign !== undefined)
    return [
      bad(
        `The card names ${foreign.href}, and callers come by ${through}`,
        `Add ${through} to PUBLIC_URL, let the gateway send its Host or X-Forwarded-Host, and name its network in INGRESS_NETWORKS`,
      ),
    ];
  const expected = ['', '/', '/a2a'].map((path) => `${prefix}${path}`);
  const wrong = ways.find(({ pathname: path }) => !expected.includes(path));
  if (wrong !== undefined) {
    const isDoubled = said.some((url) => /^https?:/.test(url) && wrong.pathname === new URL(url).pathname.repeat(2));
    const doubled = isDoubled
      ? `Its path is doubled (agentgateway 3500): add ${through} to PUBLIC_URL, or update the gateway`
      : undefined;
    return [
      bad(
        `The card names ${wrong.href}, which is not below ${through}`,
        doubled ??
          `Add ${through} to PUBLIC_URL, and let the gateway send X-Forwarded-Prefix: ${prefix === '' ? '/' : prefix}`,
      ),
    ];
  }
  return [];
}

function urlsIn({ supportedInterfaces }: JsonObject): readonly string[] {
  const listed = Array.isArray(supportedInterfaces) ? (supportedInterfaces as unknown[]) : [];
  return listed.flatMap((one) => (isJsonObject(one) && typeof one.url === 'string' ? [one.url] : []));
}

function unreadable({ text, status }: Answer): string {
  if (text.trimStart().startsWith('<'))
    return 'The gateway answers with a page of its own: route this path to the service';
  if (status === 404) return 'Route /.well-known/ to the service, without the prefix of the route';
  return 'Let the gateway pass the answer on as it is, without changing its encoding or its status';
}

function mild(text: string, fix: string): Finding {
  return { check: CHECK, severity: 'warn', text, fix };
}
