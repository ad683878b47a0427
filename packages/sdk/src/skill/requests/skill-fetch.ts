import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { currentStep } from '../step-scope.js';
import {
  type HttpMethod,
  type IncomingAnswer,
  type OutgoingRequest,
  RequestFailed,
  type SkillFetch,
  type SkillRequest,
  type SkillRequests,
} from './skill-request.js';

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_BYTES = 10 * 1_048_576;
const DEFAULT_ATTEMPTS = 3;
const FIRST_PAUSE_MS = 200;
/** A service that asks for more patience gets no retry from here: its answer goes to the skill. */
const LONGEST_PAUSE_MS = 20_000;

/** Methods that a server may do twice with the effect of once (RFC 9110, 9.2.2). */
const REPEATABLE: ReadonlySet<HttpMethod> = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);
const WITHOUT_KEY: ReadonlySet<HttpMethod> = new Set(['GET', 'HEAD']);
/** The service has done nothing yet, and may say when to come back. */
const NOT_NOW = new Set([429, 503]);
/** A gateway does not know whether it was done. */
const GATEWAY = new Set([502, 504]);
/** Answers that have no body by definition. */
const BODILESS = new Set([204, 205, 304]);

/** Dependencies of a request on its run. */
export interface FetchingRun {
  readonly idempotencyKey: string;
  /** Made when a request is sent: most runs need none. */
  readonly signal: () => AbortSignal;
}

/**
 * The `fetch` of one run of a turn. Equal requests of a run have keys of their own, the same in each repeated run. Requests of a step
 * are counted by the step, which a repeated run does not execute once its result is stored.
 */
export function skillFetch(requests: SkillRequests, run: FetchingRun): SkillFetch {
  const outsideSteps = new Map<string, number>();
  return async (url, request = {}) => {
    const outgoing = outgoingOf(String(url), request);
    const step = currentStep();
    const made = step?.requests ?? outsideSteps;
    const digest = digestOf(step === undefined ? run.idempotencyKey : `${run.idempotencyKey}:${step.name}`, outgoing);
    const count = made.get(digest) ?? 0;
    made.set(digest, count + 1);
    const key = WITHOUT_KEY.has(outgoing.method) ? {} : { 'idempotency-key': `${digest}-${String(count)}` };
    const headers = { ...key, ...outgoing.headers };
    return responseOf(await attempted(requests, { ...outgoing, headers }, { ...request, signal: run.signal() }));
  };
}

type Prepared = Omit<OutgoingRequest, 'signal'>;

async function attempted(
  requests: SkillRequests,
  outgoing: Prepared,
  {
    attempts = DEFAULT_ATTEMPTS,
    timeoutMs = DEFAULT_TIMEOUT_MS,
    idempotent = false,
    signal,
  }: SkillRequest & FetchSignal,
): Promise<IncomingAnswer> {
  const mayRepeat = idempotent || REPEATABLE.has(outgoing.method);
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    const outcome = await once(requests, outgoing, { timeoutMs, signal });
    const pauseMs = attempt < attempts ? pauseBefore(outcome, mayRepeat, attempt) : undefined;
    if (pauseMs !== undefined) await pause(pauseMs, undefined, { signal });
    else if (outcome instanceof RequestFailed) throw outcome;
    else return outcome;
  }
}

interface FetchSignal {
  readonly signal: AbortSignal;
}

async function once(
  requests: SkillRequests,
  outgoing: Prepared,
  { timeoutMs, signal }: FetchSignal & { readonly timeoutMs: number },
): Promise<IncomingAnswer | RequestFailed> {
  const late = AbortSignal.timeout(timeoutMs);
  try {
    return await requests.send({ ...outgoing, signal: AbortSignal.any([signal, late]) });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RequestFailed) return error;
    if (!late.aborted) throw error;
    return new RequestFailed('broken', `${originOf(outgoing.url)} did not answer within ${String(timeoutMs)} ms`);
  }
}

/** Undefined: no retry. */
function pauseBefore(outcome: IncomingAnswer | RequestFailed, mayRepeat: boolean, attempt: number): number | undefined {
  const usual = FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random());
  if (outcome instanceof RequestFailed) {
    return outcome.fault === 'unreachable' || (outcome.fault === 'broken' && mayRepeat) ? usual : undefined;
  }
  if (GATEWAY.has(outcome.status)) return mayRepeat ? usual : undefined;
  if (!NOT_NOW.has(outcome.status)) return undefined;
  const wished = retryAfterMs(outcome.headers['retry-after']) ?? usual;
  return wished > LONGEST_PAUSE_MS ? undefined : wished;
}

/** Seconds, or a date (RFC 9110, 10.2.3). */
function retryAfterMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function outgoingOf(
  url: string,
  { method, headers = {}, body, json, maxBytes = DEFAULT_BYTES }: SkillRequest,
): Prepared {
  const sent = json === undefined ? body : JSON.stringify(json);
  const type = json === undefined ? {} : { 'content-type': 'application/json' };
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    ...{ url, method: method ?? (sent === undefined ? 'GET' : 'POST'), headers: { ...type, ...named }, maxBytes },
    ...(sent === undefined ? {} : { body: sent }),
  };
}

function digestOf(key: string, { method, url, body = '' }: Prepared): string {
  const hash = createHash('sha256').update(JSON.stringify([key, method, url]));
  return hash.update(body).digest('hex').slice(0, 32);
}

/** Only details that an operator may read in a log. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'The address';
}

/** An answer in the form of the platform's `fetch`. */
export function responseOf({ status, headers, body }: IncomingAnswer): Response {
  return new Response(BODILESS.has(status) ? null : Uint8Array.from(body), { status, headers: { ...headers } });
}
