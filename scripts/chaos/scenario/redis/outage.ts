import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, call, insist, type Order, paramsOf } from '../../load/caller.js';
import { beginningsOf } from '../../check/checker.js';
import { Fleet, until } from '../../fleet/fleet.js';
import { emptyHistory, type History } from '../../load/history.js';
import { type Scenario, unless } from '../../scenario.js';
import { verdict } from '../../check/verdict.js';
import { readStoredTasks } from '../../check/stored-tasks.js';

const CALL_EVERY_MS = 250;
/** Promises of the service, and the allowance for a busy machine and the round trip. */
const LONGEST_CALL_MS = 2_000 + 500;
const SOON_MS = 5_000;

/** Redis is down for a while: calls fail at once with 503, and everything recovers by itself when Redis is back. */
export const outage: Scenario = {
  name: 'outage',
  what: 'Redis is dead for 3, 12 and 60 s, and hangs for 8 s',
  settings: { longest: 60 },

  async run({ say, setting }) {
    const fleet = await Fleet.start({ size: { api: 1, worker: 2, dispatcher: 1 }, standby: {} });
    const history = emptyHistory();
    try {
      const outages: OutageFigures[] = [];
      for (const { how, seconds } of OUTAGES.filter((it) => it.seconds <= setting('longest'))) {
        outages.push(await oneOutage(fleet, history, how, seconds));
        say(JSON.stringify(outages.at(-1)));
      }
      await until(async () => (await unfinished(fleet)) === 0, 60_000);
      const { figures, broken, summary } = await verdict(fleet, history);
      const promises = unless({
        'a call during the outage was not answered 503 with Retry-After': outages.every(({ odd }) => odd.length === 0),
      });
      const late = unless({
        'a call hung for more than 2 s': outages.every(({ longestCallMs }) => longestCallMs <= LONGEST_CALL_MS),
        'callers were served later than 5 s after the return': outages.every(({ servedMs }) => servedMs <= SOON_MS),
        'the first job began later than 5 s after the return': outages.every(({ firstJobMs }) => firstJobMs <= SOON_MS),
      });
      return {
        figures: { ...figures, outages },
        summary: [summary, ...outages.map(wordsOfOutage)].join('; '),
        broken: [...broken, ...promises],
        late,
      };
    } finally {
      await fleet.stop();
    }
  },
};

const OUTAGES = [
  { how: 'dead', seconds: 3 },
  { how: 'hanging', seconds: 8 },
  { how: 'dead', seconds: 12 },
  { how: 'dead', seconds: 60 },
] as const;

interface OutageFigures {
  readonly how: 'dead' | 'hanging';
  readonly seconds: number;
  readonly calls: number;
  readonly longestCallMs: number;
  /** Answers that say something else than that the service cannot serve now. */
  readonly odd: readonly string[];
  readonly servedMs: number;
  readonly firstJobMs: number;
}

function wordsOfOutage({ how, seconds, longestCallMs, servedMs, firstJobMs }: OutageFigures): string {
  return `${seconds} s ${how}: longest call ${longestCallMs} ms, served again after ${servedMs} ms, first job after ${firstJobMs} ms`;
}

async function oneOutage(
  fleet: Fleet,
  history: History,
  how: 'dead' | 'hanging',
  seconds: number,
): Promise<OutageFigures> {
  await sendOne(fleet, history);
  if (how === 'dead') await fleet.redis.kill();
  else fleet.redis.signal('SIGSTOP');
  const until = Date.now() + seconds * 1000;
  const calls: Promise<Answer>[] = [];
  const orders: Order[] = [];
  while (Date.now() < until) {
    const [url = ''] = fleet.apis;
    const order = newOrder();
    orders.push(order);
    calls.push(...probes(url, order, history));
    await pause(CALL_EVERY_MS);
  }
  // A call that is under way when Redis comes back may well be served.
  const answers = await Promise.all(calls);
  if (how === 'dead') await fleet.redis.launch();
  else fleet.redis.signal('SIGCONT');
  const back = Date.now();
  await sendOne(fleet, history);
  const servedMs = Date.now() - back;
  // A dead Redis has taken nothing in: refused messages must not be there, and the checker would call them orphans. One
  // that hung may have: the same message, sent again, must meet the task that it made, if it did.
  if (how === 'hanging') for (const order of orders) await sendOne(fleet, history, order);
  return {
    ...{ how, seconds, calls: answers.length, longestCallMs: Math.max(...answers.map(({ ms }) => ms)), servedMs },
    odd: [...new Set(answers.filter((answer) => !isUnavailable(answer)).map(wordsOf))],
    firstJobMs: (await firstBeginning(fleet, back)) - back,
  };
}

/** One call of each kind: a write, a read, one that needs the subscriber, and one that waits. */
function probes(url: string, order: Order, history: History): readonly Promise<Answer>[] {
  const id = [...(history.accepted.values().next().value ?? [])][0] ?? '';
  const answer = { messageId: randomUUID(), taskId: id, role: 'ROLE_USER', parts: [{ text: 'more' }] };
  return [
    call(url, 'SendMessage', paramsOf(order)),
    call(url, 'GetTask', { id }),
    call(url, 'ListTasks', {}),
    call(url, 'CancelTask', { id }),
    call(url, 'SubscribeToTask', { id }),
    call(url, 'SendMessage', { message: answer }),
  ];
}

function newOrder(): Order {
  return { messageId: randomUUID(), skillId: 'steps', plan: { steps: 1, pauseMs: 10, asks: false } };
}

async function sendOne(fleet: Fleet, history: History, order = newOrder()): Promise<void> {
  history.orders.push(order);
  const { result } = await insist(() => fleet.apis, 'SendMessage', paramsOf(order));
  history.accepted.set(order.messageId, new Set([result?.task?.id ?? '']));
}

function isUnavailable({ status, retryAfter }: Answer): boolean {
  return status === 503 && retryAfter !== undefined;
}

function wordsOf({ status, lost, error, retryAfter }: Answer): string {
  return `${status} ${lost ?? error?.message ?? ''} retry-after ${retryAfter ?? 'missing'}`;
}

/** When the first run began after a time, in ms since the epoch. */
async function firstBeginning(fleet: Fleet, after: number): Promise<number> {
  let first = Infinity;
  await until(async () => {
    const stored = await readStoredTasks(fleet.redis.url, fleet.keyPrefix);
    const later = stored.flatMap(beginningsOf).filter(({ at }) => at >= after);
    first = Math.min(...later.map(({ at }) => at));
    return later.length > 0;
  }, 60_000);
  return first;
}

async function unfinished(fleet: Fleet): Promise<number> {
  const stored = await readStoredTasks(fleet.redis.url, fleet.keyPrefix);
  return stored.filter(({ fields }) => fields.state !== 'TASK_STATE_COMPLETED').length;
}
