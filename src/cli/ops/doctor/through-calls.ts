import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { type Finding, fine } from '../../../main/finding.js';
import { faultText } from './fault-text.js';
import { ask, bad, CHECK, type ThroughOptions, TIMEOUT_MS } from './through-http.js';

/** The skill that sends an event a second. */
const SKILL = 'countdown';
/** Characters of a stream that are kept. */
const MAX_TEXT = 64 * 1024;

export interface CallsThrough extends ThroughOptions {
  readonly card: JsonObject;
}

/** Calls by the gateway: refusals, both HTTP bindings, a stream, and the way of other agents' webhooks. */
export async function checkCallsThrough(options: CallsThrough): Promise<readonly Finding[]> {
  const found = await Promise.all([refusal(options), bindings(options), callbacks(options), stream(options)]);
  return found.flat();
}

/** A caller without a credential is told where to get one. */
async function refusal({ through, direct, timeoutMs }: CallsThrough): Promise<readonly Finding[]> {
  const headers = { 'a2a-version': '1.0' };
  const [seen, said] = await Promise.all([
    ask(`${through}/a2a/tasks`, { headers }, timeoutMs),
    ask(`${direct}/a2a/tasks`, { headers }, timeoutMs),
  ]);
  if (said.status !== seen.status && seen.status >= 300)
    return [
      bad(
        `GET ${through}/a2a/tasks has ${seen.fault}, the service says ${String(said.status)}`,
        'Route every path to the service',
      ),
    ];
  const challenge = said.headers.get('www-authenticate');
  if (challenge === null) return [];
  const named = seen.headers.get('www-authenticate');
  if (named === null)
    return [
      bad('WWW-Authenticate of a refusal is dropped', 'Let the gateway pass it on: clients find the issuer by it'),
    ];
  const metadata = /resource_metadata="([^"]+)"/.exec(named)?.[1];
  if (metadata === undefined) return [];
  const document = await ask(metadata, {}, timeoutMs);
  if (document.json !== undefined) return [];
  return [
    bad(
      `The challenge leads to ${metadata}: ${document.fault}`,
      'Route this path to the service, and list its host in PUBLIC_URL',
    ),
  ];
}

/** A task that nobody has is not found, on both HTTP bindings. */
async function bindings({ through, credential, timeoutMs }: CallsThrough): Promise<readonly Finding[]> {
  if (credential === undefined) return [];
  const id = randomUUID();
  const headers = { ...credential, 'a2a-version': '1.0', 'content-type': 'application/json' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id } });
  const [rpc, rest] = await Promise.all([
    ask(`${through}/`, { method: 'POST', headers, body }, timeoutMs),
    ask(`${through}/a2a/tasks/${id}`, { headers }, timeoutMs),
  ]);
  const wrong = [
    ...(JSON.stringify(rpc.json ?? {}).includes('-32001') ? [] : [['JSON-RPC', rpc] as const]),
    ...(rest.status === 404 && rest.text.includes('TASK_NOT_FOUND') ? [] : [['HTTP+JSON', rest] as const]),
  ];
  return wrong.map(([name, { fault, status }]) =>
    status === 401 || status === 403
      ? bad(
          `The credential does not get through on ${name}: ${fault}`,
          'Let the gateway pass Authorization and X-API-Key on; or the credential is wrong',
        )
      : bad(
          `${name} gives another answer than the service: ${fault}`,
          'Let the gateway pass errors on, with their status and body',
        ),
  );
}

/** Webhooks of other agents: without a token the service refuses them itself. */
async function callbacks({ through, direct, timeoutMs }: CallsThrough): Promise<readonly Finding[]> {
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
  const [seen, said] = await Promise.all(
    [through, direct].map((base) => ask(`${base}/callbacks/${randomUUID()}`, request, timeoutMs)),
  );
  if (seen?.status === said?.status) return [];
  return [
    bad(
      `POST ${through}/callbacks/ has ${seen?.fault ?? ''}, the service says ${String(said?.status)}`,
      'Route /callbacks/ to the service: other agents report there',
    ),
  ];
}

/** A stream with an event a second. */
async function stream(options: CallsThrough): Promise<readonly Finding[]> {
  const { credential, seconds, card } = options;
  if (credential === undefined) return [fine(CHECK, 'No stream was asked for: it needs --token or --api-key')];
  if (!JSON.stringify(card.skills ?? []).includes(`"id":"${SKILL}"`))
    return [fine(CHECK, `No stream was asked for: the service has no skill ${SKILL}`)];
  const began = Date.now();
  const { text, at, fault, isStream } = await readStream(options, credential);
  if (!isStream)
    return [bad(`There is no stream: ${fault}`, 'See the other findings; the caller needs the scope a2a:message.send')];
  const took = `${((Date.now() - began) / 1000).toFixed(1)} s`;
  if (!text.includes('TASK_STATE_COMPLETED')) {
    const fix = 'Let the gateway wait longer than the 15 s between two heartbeats, and for as long as a stream lasts';
    return [bad(`A stream of ${String(seconds)} s was cut after ${took}: ${fault}`, fix)];
  }
  // The service dates its events: their own distance is compared, whatever a busy machine adds to it.
  const made = [...text.matchAll(/"timestamp":"([^"]+)"/g)].map(([, time = '']) => Date.parse(time));
  const [first = 0] = at;
  if ((at.at(-1) ?? 0) - first < ((made.at(-1) ?? 0) - (made[0] ?? 0)) / 2) {
    const what = `The first event of a stream came after ${String(first - began)} ms, together with the last`;
    return [bad(what, 'The gateway buffers: turn response buffering off for this route')];
  }
  return [fine(CHECK, `A stream of ${String(seconds)} s came event by event`)];
}

interface ReadStream {
  readonly isStream: boolean;
  /** Its end. */
  readonly text: string;
  /** When its chunks came. */
  readonly at: readonly number[];
  readonly fault: string;
}

async function readStream(
  { through, seconds, timeoutMs = TIMEOUT_MS }: CallsThrough,
  credential: Readonly<Record<string, string>>,
): Promise<ReadStream> {
  const parts = [{ text: String(seconds) }];
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts, metadata: { skillId: SKILL } };
  const types = { 'content-type': 'application/json', accept: 'text/event-stream' };
  const at: number[] = [];
  let [text, isStream] = ['', false];
  try {
    const response = await fetch(`${through}/a2a/message:stream`, {
      method: 'POST',
      headers: { ...credential, ...types, 'a2a-version': '1.0' },
      body: JSON.stringify({ message }),
      signal: AbortSignal.timeout(seconds * 1000 + 2 * timeoutMs),
    });
    const type = response.headers.get('content-type') ?? 'no type';
    isStream = type.startsWith('text/event-stream');
    const fault = isStream ? 'it ended before its task' : `status ${String(response.status)} with ${type}`;
    for await (const chunk of response.body ?? []) {
      at.push(Date.now());
      text = (text + Buffer.from(chunk as Uint8Array).toString('utf8')).slice(-MAX_TEXT);
    }
    return { isStream, text, at, fault };
  } catch (error) {
    return { isStream, text, at, fault: faultText(error) };
  }
}
