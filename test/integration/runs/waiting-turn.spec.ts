import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { SkillRegistry } from '../../../src/skill/skill.registry.js';
import { NO_REQUESTS } from '@parley/sdk/skill/requests/skill-request.js';
import { NO_TOOLS } from '@parley/sdk/skill/tools/skill-tool.js';
import { artifact, chunk, completed, type SkillEvent, working } from '@parley/sdk/skill/events.js';
import { waitForHint } from '../../../src/skill/hint-wait.js';
import type { SkillContext, SkillHandler } from '@parley/sdk/skill/skill.js';
import { runContext } from '../../../src/runs/turn/run-host.js';
import { ContextValues } from '../../../src/runs/turn/context-values.js';
import { RunMemory } from '../../../src/runs/turn/run-memory.js';
import { SkillTurn, type TurnResult } from '../../../src/runs/turn/skill-turn.js';
import { SHORT_WAIT_MS } from '../../../src/runs/calls/turn-waits.js';
import { Logger } from '@nestjs/common';
import { SenderStore } from '../../../src/tasks/questions/sender.store.js';
import type { ClaimedRun } from '../../../src/tasks/commit/run.store.js';
import { PARKED } from '../../../src/tasks/record/state-word.js';
import { shardOf } from '../../../src/tasks/task.keys.js';
import type { TaskOptions } from '../../../src/tasks/task.options.js';
import { eventually } from '../../kit/run/eventually.js';
import { allKeys, violations } from '../../kit/checks/invariants.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';
import { noPolicies, turnSources } from '../../kit/tasks/turn-sources.js';
import { anAnswer, OWNER, progress } from '../../kit/tasks/task-stores.js';

const GRACE_MS = 1_000;
const MINUTE_MS = 60_000;
/** Long enough to be parked. */
const WAIT_MS = SHORT_WAIT_MS + 50;

type Body = (context: SkillContext) => AsyncGenerator<SkillEvent, void, void>;

const skill = (run: Body): SkillHandler => ({ run });

describe('a turn that waits', () => {
  const stores = useTaskStores();

  /** One run of a task, as a worker does it. */
  const turnOf = (run: ClaimedRun, options: Partial<TaskOptions> = {}) => {
    const { runs, contexts, operatorValues, redis } = stores.now.with(options);
    const senders = new SenderStore(redis, stores.now.options);
    const sendersOf = senders.of.bind(senders, run.taskId);
    const turn = new SkillTurn(run, runs, GRACE_MS, { ...turnSources(stores.now), sendersOf });
    turn.begin();
    const memory = new RunMemory(
      new ContextValues(contexts, operatorValues, noPolicies, stores.now.index),
      senders,
      stores.now.trees,
      stores.now.questions,
      stores.now.board,
    );
    return {
      turn,
      context: runContext({
        run,
        store: runs,
        memory,
        skills: new SkillRegistry([]),
        requests: NO_REQUESTS,
        tools: { servers: NO_TOOLS, declared: undefined },
        turn,
        logger: new Logger(),
      }),
    };
  };
  const runOnce = (run: ClaimedRun, handler: SkillHandler, options: Partial<TaskOptions> = {}): Promise<TurnResult> => {
    const { turn, context } = turnOf(run, options);
    return turn.run(handler, context);
  };
  const claim = async (id: string): Promise<ClaimedRun> => {
    const outcome = await stores.now.runs.claim(id, 'any', 'worker');
    if (outcome.kind !== 'claimed') throw new Error(outcome.kind);
    return outcome.run;
  };
  /** What the end of a wait by time does. */
  const wake = async (id: string): Promise<ClaimedRun> => {
    await eventually(async () => expect(await stores.now.sweeps.wake(10)).toMatchObject({ woken: 1 }));
    return claim(id);
  };
  const begin = async (): Promise<ClaimedRun> => claim((await stores.now.submitted()).id);
  const say = (id: string, text: string, signal?: string) =>
    stores.now.tasks.resume(
      OWNER,
      anAnswer(id, { parts: [{ text }], ...(signal === undefined ? {} : { metadata: { signal } }) }),
      text,
      { sender: { tenant: 'default', client: 'tests', scopes: ['a'] } },
    );
  const states = async (id: string) => (await stores.now.events(id)).map(({ event }) => event.text);

  it('parks: no run, no lease and no slot has the task, and its events are there (O-82)', async () => {
    const run = await begin();
    const parked = skill(async function* ({ sleep }) {
      yield working('before');
      await sleep(MINUTE_MS);
    });
    expect(await runOnce(run, parked)).toEqual({ kind: 'parked' });

    const { state, nonce, fence } = await stores.now.word(run.taskId);
    expect({ state, nonce, fence }).toEqual({ state: 'TASK_STATE_WORKING', nonce: PARKED, fence: run.fence + 1 });
    expect((await stores.now.task(run.taskId)).status.message?.parts).toEqual([{ text: 'before' }]);
    expect(await stores.now.queue.waiting()).toBe(0);
    expect(await stores.now.queue.running()).toBe(0);
    expect(await stores.now.queue.parked()).toBe(1);
    expect(await stores.now.dueAt(run.taskId)).toBeGreaterThan(Date.now() + MINUTE_MS - 5_000);
    expect(await violations(stores.now)).toEqual([]);
  });

  it('commits what it has yielded and parks in one script', async () => {
    const run = await begin();
    const calls: string[] = [];
    const { redis } = stores.now;
    const spied = redis.evalsha.bind(redis);
    redis.evalsha = ((...args: Parameters<typeof redis.evalsha>) => {
      calls.push(String(args[2]));
      return spied(...args);
    }) as typeof redis.evalsha;
    try {
      const parked = skill(async function* ({ sleep }) {
        yield working('before');
        yield chunk('out', 'a');
        await sleep(MINUTE_MS);
      });
      expect(await runOnce(run, parked)).toEqual({ kind: 'parked' });
    } finally {
      redis.evalsha = spied;
    }
    expect(calls.filter((key) => key === stores.now.keys.task(run.taskId))).toHaveLength(1);
  });

  it('goes on where it waited: steps, yields, chunks, reads, writes, time and chance are those of the run before', async () => {
    const run = await begin();
    const did: string[] = [];
    const busy = skill(async function* ({ sleep, step, state, now, random }) {
      const began = await now();
      const dice = await random();
      const count = ((await state.get('count')) as number | undefined) ?? 0;
      await state.set('count', count + 1);
      await step('once', () => Promise.resolve(did.push('step')));
      yield chunk('out', `${began} ${dice} ${count};`);
      await sleep(WAIT_MS);
      yield chunk('out', `${began} ${dice} ${count};`);
      await sleep(WAIT_MS);
      yield chunk('out', `${(await state.get('count')) as number}`, { last: true });
    });
    expect(await runOnce(run, busy)).toEqual({ kind: 'parked' });
    expect(await runOnce(await wake(run.taskId), busy)).toEqual({ kind: 'parked' });
    expect(await runOnce(await wake(run.taskId), busy)).toMatchObject({ kind: 'committed' });

    const { artifacts, status } = await stores.now.task(run.taskId);
    const [first, second, last] = (artifacts?.[0]?.parts ?? []).map((part) => ('text' in part ? part.text : ''));
    expect(first).toMatch(/ 0;$/);
    expect(second).toBe(first);
    expect(last).toBe('1');
    expect(status.state).toBe('TASK_STATE_COMPLETED');
    expect(did).toEqual(['step']);
    expect(await violations(stores.now)).toEqual([]);
  });

  it('is repeated by the next run when the process dies at any point, and nothing is done or said twice', async () => {
    let calls = 0;
    const careful = skill(async function* ({ sleep, step, state }) {
      yield working('one');
      await step('first', () => Promise.resolve((calls += 1)));
      await sleep(WAIT_MS);
      yield working('two');
      const count = ((await state.get('count')) as number | undefined) ?? 0;
      await state.set('count', count + 1);
      await step('second', () => Promise.resolve((calls += 1)));
      yield working('three');
      await sleep(WAIT_MS);
      yield artifact('count', [{ data: await state.get('count') }]);
    });
    const lost = async (run: ClaimedRun, ms: number): Promise<void> => {
      const { turn, context } = turnOf(run);
      void turn.run(careful, context);
      await pause(ms);
      // As a process that is gone: whatever it still does is refused.
      await eventually(async () => {
        const { nonce } = await stores.now.word(run.taskId);
        if (nonce === PARKED) return;
        await stores.now.expireLease(run.taskId);
        expect((await stores.now.sweeps.evaluate(run.taskId)).kind).toBe('again');
      });
      turn.stop('lost');
    };
    const { taskId } = await begin().then(async (run) => {
      expect(await runOnce(run, careful)).toEqual({ kind: 'parked' });
      return run;
    });
    let run = await wake(taskId);
    for (const ms of [0, 1, 2, 4, 8]) {
      await lost(run, ms);
      if ((await stores.now.word(taskId)).nonce === PARKED) break;
      const outcome = await stores.now.runs.claim(taskId, 'any', 'worker');
      if (outcome.kind !== 'claimed') throw new Error(outcome.kind);
      run = outcome.run;
    }
    if ((await stores.now.word(taskId)).nonce !== PARKED)
      expect(await runOnce(run, careful)).toEqual({ kind: 'parked' });
    expect(await runOnce(await wake(taskId), careful)).toMatchObject({ kind: 'committed' });

    const said = (await states(taskId)).flatMap((text) => /"text":"(one|two|three)"/.exec(text)?.[1] ?? []);
    expect(said).toEqual(['one', 'two', 'three']);
    expect((await stores.now.task(taskId)).artifacts?.[0]?.parts).toEqual([{ data: 1 }]);
    expect(calls).toBeLessThanOrEqual(2 + 5);
    expect(await violations(stores.now)).toEqual([]);
  });

  it('keeps a wait of a moment in the process', async () => {
    const run = await begin();
    const brief = skill(async function* ({ sleep }) {
      await sleep(SHORT_WAIT_MS - 20);
      yield completed('slept');
    });
    expect(await runOnce(run, brief)).toMatchObject({ kind: 'committed' });
    expect(await stores.now.redis.exists(stores.now.keys.journal(run.taskId))).toBe(0);
  });

  it('waits beside work: the task is parked when the work is done', async () => {
    const run = await begin();
    const both = skill(async function* ({ sleep, step }) {
      const [done] = await Promise.all([step('slow', () => pause(150, 'done')), sleep(300)]);
      yield completed(done);
    });
    const ending = runOnce(run, both);
    await pause(60);
    expect((await stores.now.word(run.taskId)).nonce).toBe(run.nonce);
    expect(await ending).toEqual({ kind: 'parked' });
    expect(await runOnce(await wake(run.taskId), both)).toMatchObject({ kind: 'committed' });
    expect((await stores.now.task(run.taskId)).status.message?.parts).toEqual([{ text: 'done' }]);
  });

  describe('for a message', () => {
    const asking = skill(async function* ({ waitFor, text }) {
      yield working(`asked in ${text}`);
      const answer = await waitFor({ timeoutMs: MINUTE_MS });
      yield completed(`${text}: ${answer?.text ?? 'nothing'} of ${answer?.sender?.client ?? 'nobody'}`);
    });
    const last = async (id: string) => (await stores.now.task(id)).status.message?.parts;

    it('is woken by it, in the same script, and gets it with its sender', async () => {
      const run = await begin();
      expect(await runOnce(run, asking)).toEqual({ kind: 'parked' });
      expect(await say(run.taskId, 'yes')).toMatchObject({ kind: 'woken' });
      expect(await stores.now.queue.waiting()).toBe(1);
      expect(await runOnce(await claim(run.taskId), asking)).toMatchObject({ kind: 'committed' });
      expect(await last(run.taskId)).toEqual([{ text: 'hello: yes of tests' }]);
      expect(await violations(stores.now)).toEqual([]);
    });

    it('does not park when it came while the run was on its way there', async () => {
      const run = await begin();
      await say(run.taskId, 'early');
      expect(await runOnce(run, asking)).toMatchObject({ kind: 'committed' });
      expect(await last(run.taskId)).toEqual([{ text: 'hello: early of tests' }]);
    });

    it('goes on without it after its time', async () => {
      const run = await begin();
      const brief = skill(async function* ({ waitFor }) {
        const answer = await waitFor({ timeoutMs: WAIT_MS });
        yield completed(answer === undefined ? 'nothing came' : 'something came');
      });
      expect(await runOnce(run, brief)).toEqual({ kind: 'parked' });
      expect(await runOnce(await wake(run.taskId), brief)).toMatchObject({ kind: 'committed' });
      expect(await last(run.taskId)).toEqual([{ text: 'nothing came' }]);
    });

    it('gets only the signal that it waits for; the others begin the next turn, each once', async () => {
      const run = await begin();
      const approving = skill(async function* ({ waitFor, turn, messages }) {
        const said = messages.map(({ parts }) => parts.map((part) => ('text' in part ? part.text : '')).join());
        if (turn > 1) {
          yield completed(`turn ${turn}: ${said.join()}`);
          return;
        }
        const approval = await waitFor({ signal: 'approved' });
        yield working(`approved by ${approval?.text ?? ''}`);
      });
      expect(await runOnce(run, approving)).toEqual({ kind: 'parked' });
      expect(await say(run.taskId, 'first')).toMatchObject({ kind: 'queued' });
      expect((await stores.now.word(run.taskId)).nonce).toBe(PARKED);
      expect(await say(run.taskId, 'the boss', 'approved')).toMatchObject({ kind: 'woken' });
      expect(await say(run.taskId, 'second')).toMatchObject({ kind: 'queued' });
      expect(await runOnce(await claim(run.taskId), approving)).toMatchObject({ kind: 'next-turn' });
      expect(await runOnce(await claim(run.taskId), approving)).toMatchObject({ kind: 'committed' });
      expect(await last(run.taskId)).toEqual([{ text: 'turn 2: first,second' }]);
      expect(await violations(stores.now)).toEqual([]);
    });

    it('leaves the messages of the turn as they were, also when the process dies after it', async () => {
      const run = await begin();
      await runOnce(run, asking);
      await say(run.taskId, 'yes');
      const woken = await claim(run.taskId);
      expect(woken.messages).toHaveLength(1);
      await stores.now.expireLease(run.taskId);
      await stores.now.sweeps.evaluate(run.taskId);
      expect(await runOnce(await claim(run.taskId), asking)).toMatchObject({ kind: 'committed' });
      expect(await last(run.taskId)).toEqual([{ text: 'hello: yes of tests' }]);
    });

    it('hears of it while it works on something else', async () => {
      const run = await begin();
      const racing = skill(async function* ({ waitFor, step, signal }) {
        const work = step('long', () => pause(5_000, 'worked', { signal })).catch(() => 'stopped');
        const first = await Promise.race([work, waitFor()]);
        yield completed(typeof first === 'string' ? first : `message: ${first?.text ?? ''}`);
      });
      const { turn, context } = turnOf(run);
      const ending = turn.run(racing, context);
      await pause(30);
      await say(run.taskId, 'stop');
      turn.waits.heard();
      expect(await ending).toMatchObject({ kind: 'committed' });
      expect(await last(run.taskId)).toEqual([{ text: 'message: stop' }]);
      turn.stop('lost');
    });
  });

  describe('for a hint that what it mirrors has changed', () => {
    const mirroring = skill(async function* (context) {
      const looks: boolean[] = [];
      for (let look = 0; look < 2; look += 1) looks.push(await waitForHint(context, MINUTE_MS));
      yield completed(looks.join());
    });
    const told = async (id: string) => (await stores.now.task(id)).status.message?.parts;

    it('is woken by it, in the same script; a hint that comes before the next wait ends that at once', async () => {
      const run = await begin();
      const { mirrors, queue } = stores.now;
      expect(await runOnce(run, mirroring)).toEqual({ kind: 'parked' });
      expect(await mirrors.hint(run.taskId, 'a')).toBe('woken');
      expect(await queue.waiting()).toBe(1);
      const second = await claim(run.taskId);
      expect(await mirrors.hint(run.taskId, 'b')).toBe('noted');
      expect(await runOnce(second, mirroring)).toMatchObject({ kind: 'committed' });
      expect(await told(run.taskId)).toEqual([{ text: 'true,true' }]);
      expect(await mirrors.hint(run.taskId, 'c')).toBe('gone');
      expect(await violations(stores.now)).toEqual([]);
    });

    it('O-83: a repeated one wakes nothing, and many are one', async () => {
      const run = await begin();
      const { mirrors } = stores.now;
      for (const digest of ['a', 'b', 'c']) expect(await mirrors.hint(run.taskId, digest)).toBe('noted');
      expect(await runOnce(run, mirroring)).toEqual({ kind: 'parked' });
      for (const digest of ['a', 'b', 'c']) expect(await mirrors.hint(run.taskId, digest)).toBe('known');
      expect(await stores.now.queue.parked()).toBe(1);
      expect(await mirrors.hint(run.taskId, 'd')).toBe('woken');
      expect(await runOnce(await claim(run.taskId), mirroring)).toMatchObject({ kind: 'committed' });
    });

    it('does not wake a task that waits for something else, and ends no wait for a message', async () => {
      const run = await begin();
      const asking = skill(async function* ({ waitFor }) {
        const answer = await waitFor({ timeoutMs: MINUTE_MS });
        yield completed(answer?.text ?? 'nothing');
      });
      expect(await runOnce(run, asking)).toEqual({ kind: 'parked' });
      expect(await stores.now.mirrors.hint(run.taskId, 'a')).toBe('noted');
      expect(await stores.now.queue.parked()).toBe(1);
      const mirror = await begin();
      expect(await runOnce(mirror, mirroring)).toEqual({ kind: 'parked' });
      expect(await say(mirror.taskId, 'hello', '!')).toMatchObject({ kind: 'queued' });
    });
  });

  it('is canceled at once while it is parked', async () => {
    const run = await begin();
    await runOnce(
      run,
      skill(async function* ({ sleep }) {
        await sleep(MINUTE_MS);
        yield completed('never');
      }),
    );
    expect(await stores.now.tasks.cancel(OWNER, run.taskId)).toMatchObject({ kind: 'canceled' });
    expect(await stores.now.queue.parked()).toBe(0);
    expect(await stores.now.sweeps.wake(10)).toMatchObject({ woken: 0 });
    expect(await violations(stores.now)).toEqual([]);
  });

  it('stops where the skill was changed, with the number of the call and both calls', async () => {
    const run = await begin();
    await runOnce(
      run,
      skill(async function* ({ sleep }) {
        await sleep(WAIT_MS);
        yield completed('done');
      }),
    );
    const changed = skill(async function* ({ waitFor }) {
      await waitFor({ signal: 'approved' });
      yield completed('done');
    });
    const result = await runOnce(await wake(run.taskId), changed);
    expect(result).toMatchObject({ kind: 'threw', error: { name: 'JournalMismatch', number: 1 } });
  });

  it('counts lost runs anew when the journal has grown, and only then', async () => {
    const run = await begin();
    const waiting = skill(async function* ({ sleep }) {
      await sleep(WAIT_MS);
      yield completed('done');
    });
    await runOnce(run, waiting);
    expect((await stores.now.word(run.taskId)).attempt).toBe(0);
    for (let attempt = 1; attempt <= stores.now.options.maxAttempts; attempt += 1) {
      const woken = attempt === 1 ? await wake(run.taskId) : await claim(run.taskId);
      expect(woken.attempt).toBe(attempt);
      await stores.now.expireLease(run.taskId);
      const verdict = await stores.now.sweeps.evaluate(run.taskId);
      expect(verdict.kind).toBe(attempt === stores.now.options.maxAttempts ? 'end' : 'again');
    }
  });

  it('stores at most so many bytes in a journal, and counts them for the client', async () => {
    const few = stores.now.with({ mostJournalBytes: 1_000 });
    const { id } = await few.submitted({ isCounted: true });
    const run = await claim(id);
    const greedy = skill(async function* ({ step }) {
      await step('small', () => Promise.resolve('x'.repeat(100)));
      await step('large', () => Promise.resolve('x'.repeat(2_000)));
      yield completed('never');
    });
    const result = await runOnce(run, greedy, { mostJournalBytes: 1_000 });
    expect(result).toMatchObject({ kind: 'threw', error: { name: 'JournalFull' } });
    const bytes = Number(await stores.now.field(id, 'jb'));
    expect(bytes).toBeGreaterThan(100);
    expect(bytes).toBeLessThan(1_000);
    const counted = await stores.now.redis.hgetall(stores.now.keys.bytes(shardOf(id)));
    expect(Object.values(counted).every((value) => Number(value) > bytes)).toBe(true);
  });

  it('waits again after a failover that lost the park', async () => {
    const run = await begin();
    const waiting = skill(async function* ({ sleep }) {
      yield working('before');
      await sleep(MINUTE_MS);
      yield completed('done');
    });
    const { redis } = stores.now;
    const before = await Promise.all(
      (await allKeys(stores.now)).map(async (key) => [key, await redis.dumpBuffer(key)] as const),
    );
    expect(await runOnce(run, waiting)).toEqual({ kind: 'parked' });
    // What a replica had that was promoted before it heard of the park.
    for (const key of await allKeys(stores.now)) await redis.del(key);
    for (const [key, dump] of before) await redis.restore(key, 0, dump);
    await redis.pexpire(stores.now.keys.task(run.taskId), 3_600_000);
    await stores.now.expireLease(run.taskId);
    expect(await stores.now.sweeps.evaluate(run.taskId)).toMatchObject({ kind: 'again' });
    expect(await runOnce(await claim(run.taskId), waiting)).toEqual({ kind: 'parked' });
    expect(await stores.now.queue.parked()).toBe(1);
    expect(await violations(stores.now)).toEqual([]);
  });

  it('parks once when the script is sent again, and not at all once it has been woken', async () => {
    const run = await begin();
    await stores.now.runs.commit(run, run.seq, [progress]);
    const wait = { until: Date.now() + MINUTE_MS, signals: ['*'], known: 0 };
    const park = () => stores.now.runs.park(run, 2, { writes: [], wait, notes: { entries: [], read: [] } });
    expect(await park()).toBe('parked');
    expect(await park()).toBe('parked');
    await say(run.taskId, 'yes');
    expect(await park()).toBe('lost');
    expect(await stores.now.queue.waiting()).toBe(1);
  });

  it('is gone with its journal when it is purged', async () => {
    const run = await begin();
    await runOnce(
      run,
      skill(async function* ({ sleep }) {
        await sleep(MINUTE_MS);
        yield completed('done');
      }),
    );
    await stores.now.sweeps.purge(run.taskId, 'whatever');
    await eventually(async () => expect(await stores.now.redis.keys(`*${run.taskId}*`)).toEqual([]));
    expect(await stores.now.queue.parked()).toBe(0);
  });
});
