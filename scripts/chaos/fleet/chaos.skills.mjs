// The skills of the chaos proof. They run inside the built service, so they import what was built. Every run begins with
// an event that says which attempt of which turn it is and in which process: a reader of the events knows what ran
// where.
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import 'reflect-metadata';
import { agent } from '@parley/sdk/model/agent.js';
import { tool } from '@parley/sdk/model/function-tool.js';
import { skill } from '@parley/sdk/model/skill-tool.js';
import { artifact, chunk, inputRequired, working } from '@parley/sdk/skill/events.js';
import { Skill, SkillFailure } from '@parley/sdk/skill/skill.js';
import { monotonicMs } from '../../bench/system/work.mjs';

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

/** Long work in steps that are stored: a run continues behind the last finished one. */
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

/** Computes for the given time, without a pause. */
class BlockerSkill {
  async *run(context) {
    yield begin(context);
    await pause(200);
    const until = Date.now() + context.metadata.plan.pauseMs;
    while (Date.now() < until);
  }
}

/** Takes memory until its process dies of it. */
class GluttonSkill {
  async *run(context) {
    yield begin(context);
    const taken = [];
    for (;;) {
      taken.push(Array.from({ length: 100_000 }, () => ({ taken })));
      await pause(1);
    }
  }
}

/** Ignores its abort signal. */
class DeafSkill {
  async *run(context) {
    yield begin(context);
    await pause(60_000);
  }
}

/** Sleeps until the time in the plan, or waits as long for a signal, and reports the time: `{ until, waits }`, ms since 1970. */
class SleeperSkill {
  async *run({ metadata, sleep, waitFor, now }) {
    const { until, waits } = metadata.plan;
    const left = Math.max(0, until - (await now()));
    if (waits) await waitFor({ signal: 'never', timeoutMs: left });
    else await sleep(left);
    yield working('awake', { due: until, at: Date.now() });
  }
}

/**
 * A tree of tasks, by its data `{ depth, width, limit, steps, pauseMs, asks, leaf, deaf }`: inner tasks call others,
 * and leaves (of another skill, if it is named) work in stored steps, or ask; deaf ones ignore their abort signal. Each
 * step gives a token of its own, which is in the result up to the root: a step that ran twice shows two tokens.
 */
class TreeSkill {
  async *run(context) {
    const { depth, width, limit, steps, pauseMs, asks, leaf = 'tree', deaf = false, path = '' } = context.data[0];
    yield begin(context);
    if (depth > 0) {
      const called = depth === 1 ? leaf : 'tree';
      const branches = Array.from({ length: width }, (_unused, at) => at);
      const { done } = await context.map(
        branches,
        (at) =>
          context.call(called, { ...context.data[0], depth: depth - 1, path: `${path}/${at}` }, { key: `n${at}` }),
        { limit },
      );
      yield artifact('out', [{ data: { leaves: done.flatMap(({ data: [{ leaves }] }) => leaves) } }]);
      return;
    }
    const tokens = [];
    for (let step = 0; step < steps; step += 1) {
      const work = async () => {
        await pause(pauseMs, undefined, deaf ? {} : { signal: context.signal });
        return randomUUID();
      };
      tokens.push(await context.step(`step ${step}`, work));
      yield working('stepped', { step, token: tokens[step] });
    }
    const answer = asks ? (await context.ask(`Who is ${path}?`)).text : '';
    yield artifact('out', [{ data: { leaves: [{ id: context.taskId, path, tokens, answer }] } }]);
  }
}

/**
 * Does steps that can be taken back, by its data `{ steps, width, fails }`; then it fails, or sleeps, with so many children that sleep
 * too, until it is canceled.
 */
class SagaSkill {
  async *run(context) {
    const { steps, width, fails, of } = context.data[0];
    yield working('begin', { of });
    for (let n = 0; n < steps; n += 1) {
      const undo = { skill: 'takeback', input: { n, of: context.taskId } };
      await context.step(`step ${n}`, () => pause(20, n, { signal: context.signal }), { undo });
    }
    if (fails) throw new SkillFailure('It fails as it was told to.');
    const sleeping = { steps: 0, width: 0, fails, of: context.taskId };
    if (width === 0) await context.sleep(3_600_000);
    else await context.map([...Array(width).keys()], (n) => context.call('saga', sleeping, { key: `n${n}` }));
  }
}

/** Takes a step of a saga back: its data `{ n, of }` is its result. */
class TakebackSkill {
  async *run(context) {
    yield begin(context);
    await context.step('take back', () => pause(20, true, { signal: context.signal }));
    yield artifact('out', [{ data: context.data[0] }]);
  }
}

/** Hands its data on to another service, and has the result of that. */
class ErrandSkill {
  async *run(context) {
    yield begin(context);
    const { data } = await context.call('remote:other', context.data[0]);
    yield artifact('out', [{ data: data[0] }]);
  }
}

/** Asks by its data `{ name, questions }`, each time by ending its turn. Its result is the name, and the answer to each question. */
class InterviewSkill {
  async *run({ history, turn }) {
    const [first, ...later] = history.filter(({ role }) => role === 'ROLE_USER');
    const { name, questions } = first.parts[0].data;
    if (turn <= questions) yield inputRequired(`Question ${turn}?`);
    else yield artifact('out', [{ data: { name, answers: later.map(({ parts }) => parts[0].text) } }]);
  }
}

/** Leaves a mark in the file CHAOS_MARKS: kind, name, and time by the clock that all processes share. */
function mark(what, name) {
  appendFileSync(process.env.CHAOS_MARKS, `${what} ${name} ${monotonicMs()}\n`);
}

/** Works until its signal aborts, and records when. */
class PatientSkill {
  async *run({ text, signal }) {
    yield working('waiting');
    mark('began', text);
    await pause(60_000, undefined, { signal }).catch(() => mark('aborted', text));
    signal.throwIfAborted();
  }
}

/** Reports its progress, slowly enough that every word is passed on, and marks its words. */
class SteadySkill {
  async *run({ text, signal }) {
    for (let step = 0; step < 5; step += 1) {
      yield working(`step ${step}`);
      mark(`said-${step}`, text);
      await pause(300, undefined, { signal });
    }
    yield artifact('out', `done ${text}`);
  }
}

/** Does one stored step, whose token is the result. */
class LeafSkill {
  async *run(context) {
    yield begin(context);
    const work = () => pause(20, randomUUID(), { signal: context.signal });
    yield artifact('out', await context.step('leaf', work));
  }
}

const card = (id) => ({ id, name: id, description: `The ${id} skill of the chaos proof.`, tags: ['chaos'] });
Skill(card('steps'))(StepsSkill);
Skill(card('naps'))(NapsSkill);
Skill(card('toil'))(ToilSkill);
Skill(card('poison'))(PoisonSkill);
Skill(card('blocker'))(BlockerSkill);
Skill(card('glutton'))(GluttonSkill);
Skill(card('deaf'))(DeafSkill);

Skill(card('patient'))(PatientSkill);
Skill(card('steady'))(SteadySkill);
Skill(card('sleeper'))(SleeperSkill);
const JSON_MODES = ['application/json'];
Skill({ ...card('tree'), inputModes: JSON_MODES, outputModes: JSON_MODES })(TreeSkill);
Skill({ ...card('saga'), inputModes: JSON_MODES, outputModes: JSON_MODES })(SagaSkill);
Skill({ ...card('takeback'), inputModes: JSON_MODES, outputModes: JSON_MODES })(TakebackSkill);
Skill({ ...card('errand'), inputModes: JSON_MODES, outputModes: JSON_MODES })(ErrandSkill);
Skill({ ...card('interview'), inputModes: [...JSON_MODES, 'text/plain'], outputModes: JSON_MODES })(InterviewSkill);
Skill(card('leaf'))(LeafSkill);
/** A model chooses: a function whose result is a token of its own each time it is run, or the skill `leaf`. */
const CoordinatorAgent = agent({
  ...card('coordinator'),
  inputModes: JSON_MODES,
  instruction: 'Work.',
  tools: [tool({ name: 'mark', description: 'Gives a token.', run: () => pause(20, randomUUID()) }), skill('leaf')],
  limits: { rounds: 100, calls: 100, repeat: 100 },
});

export const CHAOS_SKILLS = [
  StepsSkill,
  NapsSkill,
  ToilSkill,
  PoisonSkill,
  BlockerSkill,
  GluttonSkill,
  DeafSkill,
  SleeperSkill,
  TreeSkill,
  SagaSkill,
  TakebackSkill,
  ErrandSkill,
  InterviewSkill,
  PatientSkill,
  SteadySkill,
  LeafSkill,
  CoordinatorAgent,
];
