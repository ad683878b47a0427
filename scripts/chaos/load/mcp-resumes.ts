import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { McpClient, McpSession, type McpText, messagesOf } from '../../../test/kit/callers/mcp-client.js';
import { spread } from '../check/figures.js';
import { until } from '../fleet/fleet.js';
import { AT_ONCE, type Ground, has, marksOf, SETTLE_MS } from '../fleet/mcp-ground.js';
import type { ScenarioOptions } from '../scenario.js';

/** Words that a call has read when its replica dies, and all that its skill says. */
const WORDS_BEFORE = 2;
const ALL_WORDS = [0, 1, 2, 3, 4].map((step) => `step ${String(step)}`).join(', ');
/** Streams of finished calls that a replica resumes before it takes over from another one, twenty at a time. */
const WARM_ROUNDS = 10;

/**
 * Kills the replica of some streams in the midst of them. Once their skills have said more, each continues at another
 * replica, behind the last event that it had.
 */
export async function resumes(ground: Ground, { tasks, random }: ScenarioOptions) {
  const { fleet } = ground;
  const outcomes: Resumed[] = [];
  const warm = new Set<string>();
  let kills = 0;
  while (outcomes.length < tasks) {
    await fleet.whenFull();
    for (const url of fleet.apis.filter((one) => !warm.has(one))) {
      await warmUp(url);
      warm.add(url);
    }
    const victim = random.pick(fleet.up('api'));
    if (victim?.url === undefined) throw new Error('There is no replica');
    const client = new McpClient(victim.url);
    const count = Math.min(tasks - outcomes.length, AT_ONCE);
    const streams = await Promise.all(Array.from({ length: count }, () => beginStream(client)));
    const elsewhere = fleet.apis.find((url) => url !== victim.url) ?? '';
    fleet.kill(victim, 'api', 'SIGKILL');
    await victim.ended;
    kills += 1;
    const texts = streams.map(({ text }) => text);
    await until(async () => has(await marksOf(ground, `said-${String(WORDS_BEFORE)}`), texts), SETTLE_MS);
    outcomes.push(...(await Promise.all(streams.map((stream) => goOn(stream, elsewhere)))));
  }
  return {
    ...{ trials: outcomes.length, kills, faults: outcomes.flatMap(({ faults }) => faults) },
    ...{ ms: spread(outcomes.map(({ ms }) => ms)), wordMs: spread(outcomes.map(({ wordMs }) => wordMs)) },
  };
}

/** A replica that takes over has served before: one that has just started compiles its code during its first calls. */
async function warmUp(url: string): Promise<void> {
  const client = new McpClient(url);
  const streams = await Promise.all(Array.from({ length: AT_ONCE }, () => beginStream(client)));
  for (let round = 0; round < WARM_ROUNDS; round += 1) {
    await Promise.all(streams.map((stream) => goOn(stream, url)));
  }
}

interface CutStream {
  readonly session: McpSession;
  readonly text: string;
  readonly lastEventId: string;
  readonly seen: readonly unknown[];
}

/** A call of a session, read up to its second word; its stream stays open until its replica dies. */
async function beginStream(client: McpClient): Promise<CutStream> {
  const [session, text] = [await McpSession.begin(client), randomUUID()];
  const params = { name: 'steady', arguments: { text }, _meta: { progressToken: text } };
  const messages = messagesOf(await session.post({ id: text, method: 'tools/call', params }));
  const seen: unknown[] = [];
  let lastEventId = '';
  while (seen.length < WORDS_BEFORE) {
    const next = await messages.next();
    if (next.done === true) throw new Error(`The stream of ${text} ended early`);
    seen.push(next.value.params?.message);
    lastEventId = next.value.eventId ?? lastEventId;
  }
  return { session, text, lastEventId, seen };
}

interface Resumed {
  /** To the first frame, which states where the stream continues. */
  readonly ms: number;
  /** To the first word that was missed. */
  readonly wordMs: number;
  readonly faults: readonly string[];
}

/** Over a connection of its own, without `fetch`: with twenty at once that takes longer than the service. */
async function goOn({ session, text, lastEventId, seen }: CutStream, url: string): Promise<Resumed> {
  const began = performance.now();
  const headers = { accept: 'text/event-stream', 'mcp-session-id': session.id, 'last-event-id': lastEventId };
  const sent = get(`${url}/mcp`, { headers, agent: false });
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let [ms, wordMs, read] = [Infinity, Infinity, ''];
  for await (const some of response.setEncoding('utf8') as AsyncIterable<string>) {
    ms = Math.min(ms, performance.now() - began);
    read += some;
    if (read.includes('"jsonrpc"')) wordMs = Math.min(wordMs, performance.now() - began);
  }
  const messages = [...read.matchAll(/^data: (.+)$/gm)].map(([, json = '']) => JSON.parse(json) as McpText);
  const words = [...seen, ...messages.flatMap(({ params }) => (params === undefined ? [] : params.message))];
  const results = messages.flatMap(({ result }) => (result === undefined ? [] : [result]));
  const [said, told] = [JSON.stringify(results), words.join(', ')];
  const faults = [
    ...(results.length === 1 && said.includes(`done ${text}`) ? [] : [`${text} has the responses ${said}`]),
    ...(told === ALL_WORDS ? [] : [`${text} was told ${told}`]),
  ];
  return { ms, wordMs, faults };
}
