// The skills of the benchmark, for our service. `peer.mjs` has the same ones for the SDK: their events must stay alike.
import 'reflect-metadata';
import { setTimeout as pause } from 'node:timers/promises';
import { IsString } from 'class-validator';
import { Agent, FlowAgent } from '@parley/sdk/agent/agent.js';
import { inline } from '@parley/sdk/agent/flow/inline.js';
import { map as each } from '@parley/sdk/agent/flow/parallel.js';
import { result, sequential as sequence } from '@parley/sdk/agent/flow/sequence.js';
import { from } from '@parley/sdk/agent/source.js';
import { artifact, authRequired, chunk, completed, working } from '@parley/sdk/skill/events.js';
import { Model } from '@parley/sdk/model/model.js';
import { Skill } from '@parley/sdk/skill/skill.js';
import { BIG_TEXT, CHUNK_TEXT, monotonicMs, processorMs } from './work.mjs';

/** Four events: submitted, working, the artifact, completed. */
class InstantSkill {
  async *run({ text }) {
    yield artifact('echo', text);
  }
}

class BigSkill {
  async *run() {
    yield artifact('big', BIG_TEXT);
  }
}

/** Six events: submitted, working, progress, two artifacts, completed. */
class SixSkill {
  async *run({ text }) {
    yield working('half way');
    yield artifact('one', text);
    yield artifact('two', text);
  }
}

/** One artifact that grows by as many chunks as the text says; reports the cost of the first and the last tenth. */
class ChunksSkill {
  async *run({ text }) {
    const count = Number(text);
    const tenth = count / 10;
    const marks = [];
    for (let at = 0; at < count; at += 1) {
      if ([0, tenth, count - tenth].includes(at)) marks.push(await processorMs());
      yield chunk('growing', CHUNK_TEXT, { last: at === count - 1 });
      // A skill that streams a model's text yields one piece at a time.
      await pause(0);
    }
    marks.push(await processorMs());
    yield artifact('cost', JSON.stringify({ first: marks[1] - marks[0], last: marks[3] - marks[2] }));
  }
}

/** Says the time as often as the text says, and rests in between: the case measures an idle service. */
class TicksSkill {
  async *run({ text }) {
    for (let left = Number(text); left > 0; left -= 1) {
      await pause(20);
      yield working(String(monotonicMs()));
    }
  }
}

/** Waits with an open stream; every further message is answered with the time, and the wait continues. */
class ParkedSkill {
  async *run({ turn }) {
    if (turn > 1) yield working(String(monotonicMs()));
    yield authRequired('waiting');
  }
}

const SKILLS = {
  instant: InstantSkill,
  big: BigSkill,
  six: SixSkill,
  chunks: ChunksSkill,
  ticks: TicksSkill,
  parked: ParkedSkill,
};

for (const [id, skill] of Object.entries(SKILLS)) {
  Skill({ id, name: id, description: `The ${id} skill of the benchmark.`, tags: ['bench'] })(skill);
}

/** The instant skill with a contract: an intent. */
class TypedSkill {
  async *run({ input }) {
    yield artifact('echo', input.text);
  }
}
class TypedInput {}
IsString()(TypedInput.prototype, 'text');
const card = { id: 'typed', name: 'typed', description: 'The typed skill of the benchmark.', tags: ['bench'] };
Skill({ ...card, inputModes: ['application/json'], input: TypedInput })(TypedSkill);

/** Streams the text of the language model. */
class TokensSkill {
  constructor(model) {
    this.model = model;
  }

  async *run(context) {
    yield* this.model.stream(context, { messages: [{ role: 'user', text: context.text }] });
  }
}
Reflect.defineMetadata('design:paramtypes', [Model], TokensSkill);
Skill({ id: 'tokens', name: 'tokens', description: 'The tokens skill of the benchmark.', tags: ['bench'] })(
  TokensSkill,
);

/** Does as many empty steps as the text says, says how long they took, and waits; then says how long repeating them took, ms. */
class StepsSkill {
  async *run({ text, step, waitFor }) {
    const began = monotonicMs();
    const times = [];
    for (let at = 0; at < Number(text); at += 1) {
      const before = monotonicMs();
      await step(`step ${at}`, async () => at);
      times.push(monotonicMs() - before);
    }
    const repeated = monotonicMs() - began;
    yield working(JSON.stringify(times));
    await waitFor();
    yield artifact('repeated', JSON.stringify([repeated]));
  }
}

/** Of a task, when its calls began and how long they took, or when it had answers: a repeated run finds the notes of the previous one in this process. */
const calls = new Map();

/** Calls the instant skill as often as the text says, one after the other, and says how long each took until it continued, ms. */
class CallsSkill {
  async *run({ taskId, text, call }) {
    const noted = calls.get(taskId) ?? [];
    calls.set(taskId, noted);
    for (let at = 0; at < Number(text); at += 1) {
      noted[at] ??= { began: monotonicMs() };
      await call('instant', 'x');
      noted[at].ms ??= monotonicMs() - noted[at].began;
    }
    yield artifact('times', JSON.stringify(noted.map(({ ms }) => ms)));
    calls.delete(taskId);
  }
}

/** Asks as often as the text says, and says when it had each answer. */
class AsksSkill {
  async *run({ taskId, text, ask }) {
    const noted = calls.get(taskId) ?? [];
    calls.set(taskId, noted);
    for (let at = 0; at < Number(text); at += 1) {
      await ask('and now?');
      noted[at] ??= monotonicMs();
    }
    yield artifact('times', JSON.stringify(noted));
    calls.delete(taskId);
  }
}

/** As many calls of the instant skill at once as the text says, ten of which run. */
class FanSkill {
  async *run({ text, map, call }) {
    const { done } = await map([...Array(Number(text)).keys()], () => call('instant', 'x'), { limit: 10 });
    yield artifact('done', String(done.length));
  }
}

/** A tree by its data `[widths]`: its leaves sleep. Half of the children of each may run at once, and the others wait to begin. */
class WideSkill {
  async *run({ data: [{ widths }], map, call, sleep }) {
    const [width, ...below] = widths;
    yield working('waiting');
    if (width === undefined) {
      await sleep(3_600_000);
      return;
    }
    const limit = below.length > 0 ? width : Math.ceil(width / 2);
    await map([...Array(width).keys()], () => call('wide', { widths: below }), { limit });
  }
}

/** The instant skill as often as the text says, without tasks of their own. */
class InlinesAgent extends FlowAgent {
  flow = sequence(
    each({
      over: ({ text }) => [...Array(Number(text)).keys()].map(String),
      each: inline('instant', { input: from.item() }),
    }),
    result('done', () => 'done'),
  );
}

const FLOW_SKILLS = { steps: StepsSkill, calls: CallsSkill, fan: FanSkill, asks: AsksSkill };
for (const [id, skill] of Object.entries(FLOW_SKILLS)) {
  Skill({ id, name: id, description: `The ${id} skill of the benchmark.`, tags: ['bench'] })(skill);
}
const wide = { id: 'wide', name: 'wide', description: 'The wide skill of the benchmark.', tags: ['bench'] };
Skill({ ...wide, inputModes: ['application/json'] })(WideSkill);
Agent({ id: 'inlines', name: 'inlines', description: 'The inlines agent of the benchmark.', tags: ['bench'] })(
  InlinesAgent,
);

const OF_FLOWS = [...Object.values(FLOW_SKILLS), WideSkill, InlinesAgent];
export const BENCH_SKILLS = [...Object.values(SKILLS), TypedSkill, TokensSkill, ...OF_FLOWS];

/** Answers at once, without a task. */
class DirectSkill {
  async *run({ text }) {
    yield completed(text);
  }
}
Skill({
  ...{ id: 'direct', name: 'direct', description: 'The direct skill of the benchmark.', tags: ['bench'] },
  direct: true,
})(DirectSkill);

/** The skills of the MCP cases: three that are called, and others up to the count. */
export function mcpSkills(count) {
  const fillers = Array.from({ length: Math.max(0, count - 3) }, (_none, at) => {
    const id = `filler_${String(at)}`;
    const skill = class extends InstantSkill {};
    Skill({ id, name: id, description: `The ${id} skill of the benchmark.`, tags: ['bench'] })(skill);
    return skill;
  });
  return [DirectSkill, InstantSkill, TypedSkill, ...fillers];
}
