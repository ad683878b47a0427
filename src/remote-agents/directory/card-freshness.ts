/** Freshness of a stored card by RFC 9111, for answers to GET without a request body. */

/** For answers without freshness headers (A2A-CARD-02 asks servers for them). */
const DEFAULT_MS = 300_000;
/** Longest freshness, whatever the headers say. */
const MAX_MS = 24 * 3_600_000;
/** Shortest freshness, so that `max-age=0` does not cost a request per call. */
const LEAST_MS = 1000;
/** How long a stale card is used while its agent is unreachable (stale-if-error, RFC 5861). */
export const STALE_IF_ERROR_MS = 24 * 3_600_000;

type Headers = Readonly<Record<string, string>>;

/** Freshness lifetime of an answer, ms. */
export function freshForMs(headers: Headers, now = Date.now()): number {
  const control = directivesOf(headers['cache-control'] ?? '');
  if (control.has('no-store') || control.has('no-cache')) return LEAST_MS;
  const age = Number(headers.age ?? 0) * 1000 || 0;
  const life =
    seconds(control.get('s-maxage')) ?? seconds(control.get('max-age')) ?? untilMs(headers, now) ?? DEFAULT_MS;
  return Math.min(Math.max(life - age, LEAST_MS), MAX_MS);
}

function directivesOf(header: string): ReadonlyMap<string, string> {
  return new Map(
    header.split(',').map((part) => {
      const [name = '', value = ''] = part.trim().split('=');
      return [name.toLowerCase(), value.replaceAll('"', '')] as const;
    }),
  );
}

function seconds(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) * 1000 : undefined;
}

function untilMs(headers: Headers, now: number): number | undefined {
  const until = headers.expires === undefined ? Number.NaN : Date.parse(headers.expires);
  return Number.isNaN(until) ? undefined : Math.max(0, until - now);
}
