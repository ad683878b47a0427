import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Task } from '@parley/protocol/model/task.js';
import { chunk, type SkillEvent, working } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, type SkillHandler } from '@parley/sdk/skill/skill.js';
import { EventLog } from '../../../src/tasks/commit/event-log.js';
import { Receiver } from '../../integration/webhooks/receiver.js';
import { eventually } from '../../kit/run/eventually.js';
import { RedisSentinel } from '../../kit/redis/topology/redis-sentinel.js';
import { aMessage, RpcClient, type SseEvent } from '../../kit/callers/rpc-client.js';
import { TOPOLOGY_START_MS, TwoServices } from '../../kit/app/two-services.js';

const TICKS = 80;
const TICK_MS = 100;
const WHOLE = Array.from({ length: TICKS }, (_unused, at) => `${String(at)};`).join('');
const FAILOVER = { timeoutMs: 60_000, intervalMs: 100 };

/** Writes an artifact piece by piece for eight seconds, and says so now and then. A new run begins it anew. */
@Skill({ id: 'ticks', name: 'Ticks', description: 'For tests', tags: ['test'], maxAttempts: 10 })
class TickSkill implements SkillHandler {
  static runs = new Map<string, number>();

  async *run({ taskId, signal }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    TickSkill.runs.set(taskId, (TickSkill.runs.get(taskId) ?? 0) + 1);
    for (let tick = 0; tick < TICKS; tick += 1) {
      if (tick % 10 === 5) yield working(`tick ${String(tick)}`);
      yield chunk('ticks', `${String(tick)};`, { last: tick === TICKS - 1 });
      await pause(TICK_MS, undefined, { signal });
    }
  }
}

/** A caller's view of one task: applies what a stream tells, as a client of A2A does, and resumes a stream that breaks. */
class Reader {
  state = '';
  text = '';
  /** How often the stream began anew, with the task as it is. */
  fresh = 0;
  taskId = '';
  private last: string | undefined;
  private isResuming = false;

  constructor(private readonly rpc: RpcClient) {}

  async read(stream: AsyncIterable<SseEvent>): Promise<void> {
    for (let from = stream; !this.isOver; from = this.resumed()) {
      await this.readSome(from).catch(() => undefined);
      this.isResuming = true;
      await pause(200);
    }
  }

  private get isOver(): boolean {
    return this.state === 'TASK_STATE_COMPLETED' || this.state === 'TASK_STATE_FAILED';
  }

  private resumed(): AsyncIterable<SseEvent> {
    const headers = this.last === undefined ? undefined : { 'last-event-id': this.last };
    return this.rpc.stream('SubscribeToTask', { id: this.taskId }, headers);
  }

  private async readSome(stream: AsyncIterable<SseEvent>): Promise<void> {
    for await (const event of stream) this.apply(event);
  }

  private apply({ id, data: { result } }: SseEvent): void {
    if (result === undefined) return;
    const { task, artifactUpdate, statusUpdate } = result as Parts;
    // After a resume the first event repeats the status of that place; everything else begins anew.
    if (task !== undefined && !(this.isResuming && id === this.last)) {
      this.fresh += 1;
      this.text = textOf(task);
    }
    if (task !== undefined) [this.taskId, this.state] = [task.id, task.status.state];
    if (statusUpdate !== undefined) this.state = statusUpdate.status.state;
    if (artifactUpdate !== undefined) {
      const piece = artifactUpdate.artifact.parts.map(({ text = '' }) => text).join('');
      this.text = artifactUpdate.append === true ? this.text + piece : piece;
    }
    this.last = id ?? this.last;
  }
}

interface Parts {
  readonly task?: Task;
  readonly statusUpdate?: { readonly status: { readonly state: string } };
  readonly artifactUpdate?: {
    readonly append?: boolean;
    readonly artifact: { readonly parts: readonly { readonly text?: string }[] };
  };
}

function textOf({ artifacts = [] }: Task): string {
  return artifacts.flatMap(({ parts }) => parts.map((part) => ('text' in part ? part.text : ''))).join('');
}

describe('a Sentinel failover that loses writes', () => {
  let both: TwoServices<RedisSentinel>;

  beforeAll(async () => {
    // Slow enough that it is in the midst of its events when the primary dies.
    const receiver = new Receiver((_request, response) => setTimeout(() => response.end(), 50));
    const variables = { DEFAULT_SKILL: 'ticks' };
    both = await TwoServices.start(() => RedisSentinel.start(), { receiver, variables, skills: [TickSkill] });
  }, TOPOLOGY_START_MS);

  afterAll(() => both.close(), TOPOLOGY_START_MS);

  it('leaves no hole in an artifact, no silent stream and no event that a webhook does not get (H3)', async () => {
    const { redis, receiver, one, other } = both;
    const configuration = { returnImmediately: true, taskPushNotificationConfig: { url: receiver.url } };
    const hooked = await one.task('SendMessage', { ...aMessage('go'), configuration });
    const [here, there, fromElsewhere] = [new Reader(one), new Reader(other), new Reader(other)];
    const reading = [
      here.read(one.stream('SendStreamingMessage', aMessage('go'))),
      there.read(other.stream('SendStreamingMessage', aMessage('go'))),
      fromElsewhere.read(other.stream('SubscribeToTask', { id: hooked.id })),
    ];
    const readers = [here, there, fromElsewhere];
    const readUpTo = (tick: number): Promise<void> =>
      eventually(() => expect(readers.map(({ text }) => text.includes(`;${String(tick)};`))).not.toContain(false), {
        ...FAILOVER,
      });

    await readUpTo(10);
    await redis.fallBehind();
    await readUpTo(30);
    const shown = readers.map(({ fresh }) => fresh);
    await redis.lose();
    await Promise.all(reading);

    // What was shown is lost, and each stream said so: it began anew with the task as it is.
    expect(readers.map(({ fresh }, at) => fresh > (shown[at] ?? 0))).toEqual([true, true, true]);
    expect(readers.map(({ state, text }) => [state, text])).toEqual(readers.map(() => ['TASK_STATE_COMPLETED', WHOLE]));
    for (const { taskId } of readers) {
      expect(textOf(await other.task('GetTask', { id: taskId }))).toBe(WHOLE);
      expect(TickSkill.runs.get(taskId)).toBeGreaterThan(1);
    }
    await everyEventIsDelivered(hooked.id);
  }, 150_000);

  /** Under its own id: number and writer. */
  async function everyEventIsDelivered(taskId: string): Promise<void> {
    const log = both.apps[0].app.get(EventLog, { strict: false });
    const events = await log.from(taskId, 1, 10_000);
    expect(events.length).toBeGreaterThan(TICKS);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, at) => at + 1));
    const named = events.map(({ seq, nonce }) => `evt_${taskId}_${String(seq)}_${nonce}`);
    const got = (): ReadonlySet<unknown> => new Set(both.receiver.received.map(({ headers }) => headers['webhook-id']));
    await eventually(() => expect(named.filter((id) => !got().has(id))).toEqual([]), FAILOVER);
    // Some were delivered that the failover has taken back: their numbers came again, under other ids.
    const taken = both.receiver.received.filter(({ headers }) => !named.includes(String(headers['webhook-id'])));
    expect(taken.length).toBeGreaterThan(0);
  }
});
