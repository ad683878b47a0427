import { BASE } from '../base-path.js';
import { takeEarly } from './session/early.js';
import { fetchAs, hasWorked, noteWorked, refresh, signOut } from './session/session.js';

/** A request that the service refused, in its words. */
export class RequestFailed extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** The scope that the caller lacks, where the service names it. */
    readonly scope: string | undefined,
    readonly requestId: string | undefined,
    /** Machine-readable reason of the service. */
    readonly facts: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** The service could not be reached at all. */
export class Unreachable extends Error {}

const API = `${BASE}/api`;
const REFUSED = 'The service does not accept this key or token. Check it, and whether it has expired.';

export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  // One that has failed is asked again, so that its failure is the one of all requests.
  const early = await takeEarly(path)?.catch(() => undefined);
  if (early !== undefined) return early as T;
  const response = await send(`${API}${path}`, signal === undefined ? {} : { signal });
  return (await response.json()) as T;
}

/** @param why the reason in the user's words, for the audit log */
export async function postJson<T>(path: string, body: unknown, why = ''): Promise<T> {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (why !== '') headers['x-console-why'] = encodeURIComponent(why.slice(0, 200));
  const response = await send(`${API}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return (await response.json()) as T;
}

/**
 * Sends a request with the credential of this moment: never one that a closure has kept. After a 401 the credential is
 * renewed once, and then the user logs in anew.
 * @throws RequestFailed, Unreachable
 */
export async function send(url: string, init: RequestInit = {}): Promise<Response> {
  let response = await once(url, init);
  if (response.status === 401 && (await refresh())) response = await once(url, init);
  if (response.status === 401)
    signOut(hasWorked() ? 'Your session has ended. Log in again to continue here.' : REFUSED);
  else noteWorked();
  if (!response.ok) throw await failureOf(response);
  return response;
}

async function once(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetchAs(url, { ...init, cache: 'no-store' });
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new Unreachable('The service cannot be reached.', { cause: error });
  }
}

async function failureOf(response: Response): Promise<RequestFailed> {
  const text = await response.text();
  const scope = /scope="([^"]+)"/.exec(response.headers.get('www-authenticate') ?? '')?.[1];
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const { message = `The service answered ${String(response.status)}.`, details = [] } = errorIn(text);
  const facts = details.find(({ metadata }) => metadata !== undefined)?.metadata;
  return new RequestFailed(response.status, message, scope, requestId, facts);
}

/** An error in the shape that all bindings of HTTP+JSON use; empty for other texts. */
function errorIn(text: string): {
  readonly message?: string;
  readonly details?: readonly { readonly metadata?: Readonly<Record<string, string>> }[];
} {
  try {
    const { error = {} } = JSON.parse(text) as { readonly error?: ReturnType<typeof errorIn> };
    return error;
  } catch {
    return {};
  }
}
