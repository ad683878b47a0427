import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import { artifact, chunk, completed, type SkillEvent } from '@parley/sdk/skill/events.js';
import type { SkillContext, SkillHandler } from '@parley/sdk/skill/skill.js';
import { aContext } from '@parley/sdk/testing/run-skill.js';
import type { StopReason } from '../../../src/runs/keeper/active-runs.js';
import { SkillTurn } from '../../../src/runs/turn/skill-turn.js';
import { eventually } from '../../kit/run/eventually.js';
import { turnSources } from '../../kit/tasks/turn-sources.js';
import { useTaskStores } from '../../kit/tasks/store-suite.js';

/** Longer than any of these skills needs to end after an abort. */
const GRACE_MS = 5_000;

const SIGNAL = new AbortController().signal;

/** Says half of its answer, and gives up without a word when it is stopped. */
class QuietSkill implements SkillHandler {
  async *run({ signal }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    yield artifact('half', 'Half an answer');
    await sleep(60_000, undefined, { signal }).catch(() => undefined);
  }
}

/** Says that it has completed the task, when it was stopped. */
class BoastingSkill implements SkillHandler {
  async *run({ signal }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    await sleep(60_000, undefined, { signal }).catch(() => undefined);
    yield completed('Done');
  }
}

/** Ignores that it is stopped, until it is let go. */
class DeafSkill implements SkillHandler {
  constructor(private readonly letGo: Promise<void>) {}

  async *run(): AsyncGenerator<SkillEvent, void, void> {
    await this.letGo;
    yield completed('Done');
  }
}

/** Waits for nothing. */
class PromptSkill implements SkillHandler {
  async *run(): AsyncGenerator<SkillEvent, void, void> {
    yield artifact('whole', 'The whole answer');
  }
}

/** Writes 10 KB, again and again, and waits for each of them. */
class EndlessSkill implements SkillHandler {
  async *run(): AsyncGenerator<SkillEvent, void, void> {
    for (;;) {
      yield chunk('text', 'x'.repeat(10_000));
      await sleep(5);
    }
  }
}

/** Writes more than a task may hold, and is done. */
class GiantSkill implements SkillHandler {
  async *run(): AsyncGenerator<SkillEvent, void, void> {
    yield artifact('whole', 'x'.repeat(100_000));
    yield completed('Done');
  }
}

/** Is stopped by its own last step: it has ended, and its event is not committed yet. */
class LastMomentSkill implements SkillHandler {
  constructor(private readonly stop: () => void) {}

  async *run(): AsyncGenerator<SkillEvent, void, void> {
    yield artifact('whole', 'The whole answer');
    queueMicrotask(() => queueMicrotask(this.stop));
  }
}

describe(SkillTurn.name, () => {
  const stores = useTaskStores();

  const turnOf = async () => {
    const run = await stores.now.running();
    const turn = new SkillTurn(run, stores.now.runs, GRACE_MS, turnSources(stores.now));
    return { run, turn, context: aContext({ signal: turn.signal }) };
  };

  describe.each<StopReason>(['leaving', 'timed-out', 'canceled', 'lost'])('stopped because it is %s', (reason) => {
    it.each([
      { name: 'a quiet skill', Skill: QuietSkill },
      { name: 'a boasting skill', Skill: BoastingSkill },
    ])('never completes a task with what $name leaves undone', async ({ Skill }) => {
      const { run, turn, context } = await turnOf();
      const ended = turn.run(new Skill(), context);
      if (Skill === QuietSkill) {
        await eventually(async () => expect((await stores.now.task(run.taskId)).artifacts).toHaveLength(1));
      }
      turn.stop(reason);
      expect(await ended).toEqual({ kind: 'stopped', reason });
      // Whatever was still on its way to Redis is there when a later command on the same connection is answered.
      await sleep(0);
      expect((await stores.now.task(run.taskId)).status.state).toBe('TASK_STATE_WORKING');
    });

    it('tells when the code of a skill that ignores it has ended (I17)', async () => {
      const run = await stores.now.running();
      const turn = new SkillTurn(run, stores.now.runs, 0, turnSources(stores.now));
      let letGo: () => void = () => undefined;
      const ended = turn.run(
        new DeafSkill(new Promise<void>((resolve) => (letGo = resolve))),
        aContext({ signal: SIGNAL }),
      );
      turn.stop(reason);
      expect(await ended).toEqual({ kind: 'stopped', reason });
      const { codeEnds } = turn;
      expect(codeEnds).toBeDefined();
      letGo();
      await codeEnds;
      expect(turn.codeEnds).toBeUndefined();
    });
  });

  it('commits a skill that ends at once in one step, and makes no signal that nobody asked for', async () => {
    const { id, fence } = await stores.now.submitted();
    const outcome = await stores.now.runs.claim(id, fence, 'worker');
    if (outcome.kind !== 'claimed') throw new Error(outcome.kind);
    const commit = jest.spyOn(stores.now.runs, 'commit');
    const aborts = jest.spyOn(globalThis, 'AbortController');
    const turn = new SkillTurn(outcome.run, stores.now.runs, GRACE_MS, turnSources(stores.now));
    turn.begin();
    expect(await turn.run(new PromptSkill(), aContext({ signal: SIGNAL }))).toEqual({ kind: 'committed', seq: 4 });
    expect(commit).toHaveBeenCalledTimes(1);
    expect(aborts).not.toHaveBeenCalled();
    expect(turn.codeEnds).toBeUndefined();
    jest.restoreAllMocks();
  });

  it('ends with the error of a commit, and leaves none unhandled of what nobody waits for', async () => {
    const { turn, context } = await turnOf();
    jest.spyOn(stores.now.runs, 'commit').mockRejectedValue(new Error('Command timed out'));
    const data = JSON.stringify('x'.repeat(600_000));
    const publishing: SkillHandler = {
      async *run() {
        yield chunk('text', 'a');
        for (const number of [1, 2]) turn.publish({ type: 'large', data }, number);
        await sleep(50);
        yield chunk('text', 'b');
      },
    };
    const error = expect.objectContaining({ message: 'Command timed out' });
    expect(await turn.run(publishing, context)).toEqual({ kind: 'threw', error });
    jest.restoreAllMocks();
  });

  describe('of a task that may hold 100 KB', () => {
    const smallTurnOf = async () => {
      const small = stores.now.with({ mostBytes: 100_000 });
      const run = await small.running();
      const turn = new SkillTurn(run, small.runs, GRACE_MS, turnSources(small));
      return { run, turn, context: aContext({ signal: turn.signal }) };
    };

    it.each([
      { name: 'never stops writing', Skill: EndlessSkill, kept: 4 },
      { name: 'writes too much at once and ends', Skill: GiantSkill, kept: 0 },
    ])('stops a skill that $name, and lets it fail', async ({ Skill, kept }) => {
      const { run, turn, context } = await smallTurnOf();
      expect(await turn.run(new Skill(), context)).toEqual({ kind: 'stopped', reason: 'too-large' });
      expect(turn.signal.aborted).toBe(true);
      expect(await turn.fail('Too large')).toMatchObject({ kind: 'committed' });
      const task = await stores.now.task(run.taskId);
      expect(task.status).toMatchObject({ state: 'TASK_STATE_FAILED', message: { parts: [{ text: 'Too large' }] } });
      expect(task.artifacts?.[0]?.parts ?? []).toHaveLength(kept);
      const [said, written] = await stores.now.redis.hmget(stores.now.keys.task(run.taskId), 'b', 'z');
      expect(Number(said) + Number(written)).toBeLessThan(101_000);
    });

    it('counts the messages of its callers, too', async () => {
      const { run, context } = await smallTurnOf();
      const turn = new SkillTurn(
        { ...run, messageBytes: 85_000 },
        stores.now.with({ mostBytes: 100_000 }).runs,
        GRACE_MS,
        turnSources(stores.now),
      );
      expect(await turn.run(new EndlessSkill(), context)).toEqual({ kind: 'stopped', reason: 'too-large' });
      expect(await stores.now.task(run.taskId)).not.toHaveProperty('artifacts');
    });
  });

  it('commits the end of a skill that had ended before it was stopped', async () => {
    const { run, turn, context } = await turnOf();
    const result = await turn.run(new LastMomentSkill(() => turn.stop('leaving')), context);
    expect(result).toMatchObject({ kind: 'committed' });
    expect((await stores.now.task(run.taskId)).status.state).toBe('TASK_STATE_COMPLETED');
  });
});
