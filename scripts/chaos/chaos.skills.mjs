// The skills of the chaos proof. They run inside the built service, so they import what was built. Every run begins with
// an event that says which attempt of which turn it is and in which process: whoever reads the events can tell what ran
// where.
import { setTimeout as pause } from 'node:timers/promises';
import { chunk, inputRequired, working } from '../../dist/skill/events.js';
import { Skill } from '../../dist/skill/skill.js';

function begin({ attempt, turn }) {
  return working('begin', { attempt, turn, pid: process.pid, at: Date.now() });
}

/** Works in small steps, by the plan in the metadata of the request: `{ steps, pauseMs, asks }`. */
class StepsSkill {
  async *run(context) {
    const { steps, pauseMs, asks } = context.metadata.plan;
    yield begin(context);
    if (asks && context.turn === 1) {
      await pause(pauseMs, undefined, { signal: context.signal });
      yield inputRequired('go on?');
      return;
    }
    for (let step = 0; step < steps; step += 1) {
      yield working(`step ${step}`);
      yield chunk('out', `${step};`, { last: step === steps - 1 });
      await pause(pauseMs, undefined, { signal: context.signal });
    }
  }
}

/** The same, with pauses that hold nothing: it sleeps, or waits for a signal that never comes. */
class NapsSkill {
  async *run(context) {
    const { steps, pauseMs } = context.metadata.plan;
    yield begin(context);
    for (let step = 0; step < steps; step += 1) {
      yield working(`step ${step}`);
      yield chunk('out', `${step};`, { last: step === steps - 1 });
      if (step % 2 === 0) await context.sleep(pauseMs);
      else await context.waitFor({ signal: 'never', timeoutMs: pauseMs });
    }
  }
}

/** Long work in steps that are stored: a run goes on behind the last one that finished. */
class ToilSkill {
  async *run(context) {
    const { steps, pauseMs } = context.metadata.plan;
    yield begin(context);
    for (let step = 0; step < steps; step += 1) {
      await context.step(`step ${step}`, () => pause(pauseMs, step, { signal: context.signal }));
    }
    for (let step = 0; step < steps; step += 1) yield chunk('out', `${step};`, { last: step === steps - 1 });
  }
}

/** Kills its process, as a fault in native code would. */
class PoisonSkill {
  async *run(context) {
    yield begin(context);
    await pause(200);
    process.kill(process.pid, 'SIGKILL');
    await pause(60_000);
  }
}

/** Does not hear that it is told to stop. */
class DeafSkill {
  async *run(context) {
    yield begin(context);
    await pause(60_000);
  }
}

/** Sleeps until the time in the plan, or waits so long for a signal, and says when that was: `{ until, waits }`, ms since 1970. */
class SleeperSkill {
  async *run({ metadata, sleep, waitFor, now }) {
    const { until, waits } = metadata.plan;
    const left = Math.max(0, until - (await now()));
    if (waits) await waitFor({ signal: 'never', timeoutMs: left });
    else await sleep(left);
    yield working('awake', { due: until, at: Date.now() });
  }
}

const card = (id) => ({ id, name: id, description: `The ${id} skill of the chaos proof.`, tags: ['chaos'] });
Skill(card('steps'))(StepsSkill);
Skill(card('naps'))(NapsSkill);
Skill(card('toil'))(ToilSkill);
Skill(card('poison'))(PoisonSkill);
Skill(card('deaf'))(DeafSkill);

Skill(card('sleeper'))(SleeperSkill);

export const CHAOS_SKILLS = [StepsSkill, NapsSkill, ToilSkill, PoisonSkill, DeafSkill, SleeperSkill];
