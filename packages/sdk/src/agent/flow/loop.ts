import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Values } from './branch-values.js';
import type { Known, Scope } from '../check/scope.js';
import { checkStep } from './check-step.js';
import { sequential } from './sequence.js';
import { asked, type Facts, LoopExit, named, NOTHING, type Outcome, type Step, take } from '../step.js';

/** Outcome of a loop: its condition held, its body left it, or there are no more rounds. */
export type LoopEnd = 'done' | 'exited' | 'exhausted';

/** The value of a loop. */
export interface LoopValue {
  readonly outcome: LoopEnd;
  readonly rounds: number;
  /** The last value that was not empty. */
  readonly value: unknown;
}

/** How steps are repeated. */
export interface LoopOptions<State extends object = Values> {
  readonly as?: string;
  readonly body: Step<State>;
  /** Checked after each round: true ends the loop. A pure function; a body may call `exit()` instead. */
  readonly until?: (state: State, facts: Facts) => boolean;
  /** The most rounds. To reach it is the outcome `exhausted`, and no failure. */
  readonly maxIterations: number;
}

/** Repeats a step. Functions of the body read the number of the round from `facts.round`. */
export function loop<State extends object = Values>(options: LoopOptions<State>): Step<State> {
  const { as, body, until, maxIterations } = options;
  return {
    name: 'loop',
    ...named(as),
    run: async (frame) => {
      let last: Outcome = { value: frame.facts.last, artifacts: [] };
      let ended: LoopEnd = 'exhausted';
      let round = 0;
      while (ended === 'exhausted' && round < maxIterations) {
        round += 1;
        const facts = { ...frame.facts, last: last.value, round };
        const { outcome, isExit } = await taken(body, { ...frame, facts, isResult: false }, `[${String(round)}]`);
        // An empty last round does not wipe the result of the previous one.
        if (!isEmpty(outcome)) last = outcome;
        if (isExit) ended = 'exited';
        else if (until !== undefined && asked(until, { ...frame, facts: { ...facts, last: last.value } }))
          ended = 'done';
      }
      const value: LoopValue = { outcome: ended, rounds: round, value: last.value };
      return { value, artifacts: last.artifacts };
    },
    check: (scope) => checkLoop(options, scope),
  };
}

/** How drafts are made until a review accepts one. */
export interface CriticOptions<State extends object = Values> {
  readonly as?: string;
  /** Makes a draft: the value "draft". */
  readonly generate: Step<State>;
  /** Judges it: the value "review". */
  readonly review: Step<State>;
  /** Whether the review accepts the draft. A pure function. */
  readonly accept: (review: unknown, state: State) => boolean;
  readonly maxRounds: number;
}

/** The value of a critic. */
export interface CriticValue {
  readonly outcome: LoopEnd;
  readonly rounds: number;
  readonly draft: unknown;
  readonly review: unknown;
}

/**
 * Makes and reviews drafts until one is accepted, or no rounds are left. The generator reads the review before it with
 * `from.state('review')` or in its function: there is none in the first round.
 */
export function critic<State extends object = Values>(options: CriticOptions<State>): Step<State> {
  return {
    name: 'critic',
    ...named(options.as),
    run: async (frame) => {
      let draft: Outcome = NOTHING;
      const rounds = criticLoop(options, (outcome) => {
        draft = outcome;
      });
      const { outcome, rounds: made } = (await rounds.run(frame)).value as LoopValue;
      const value: CriticValue = { outcome, rounds: made, draft: draft.value, review: frame.values.get('review') };
      return { value, artifacts: draft.artifacts };
    },
    check: (scope) => {
      criticLoop(options).check(scope);
      const properties = {
        outcome: TEXT,
        rounds: INTEGER,
        draft: schemaOf('draft', scope),
        review: schemaOf('review', scope),
      };
      return { schema: objectOf(properties), origin: 'the value of the critic' };
    },
  };
}

function criticLoop<State extends object>(
  { generate, review, accept, maxRounds }: CriticOptions<State>,
  onDraft: (draft: Outcome) => void = () => undefined,
): Step<State> {
  const generating: Step<State> = {
    ...{ name: 'draft', as: 'draft', check: generate.check },
    run: async (frame) => {
      const draft = await generate.run({ ...frame, isResult: false });
      onDraft(draft);
      return draft;
    },
  };
  const reviewing: Step<State> = { ...{ name: 'review', as: 'review' }, run: review.run, check: review.check };
  return loop<State>({
    body: sequential<State>(generating, reviewing),
    until: (state) => accept(Reflect.get(state, 'review'), state),
    maxIterations: maxRounds,
  });
}

async function taken(
  ...[step, frame, segment]: Parameters<typeof take>
): Promise<{ readonly outcome: Outcome; readonly isExit: boolean }> {
  try {
    return { outcome: await take(step, frame, segment), isExit: false };
  } catch (error) {
    if (error instanceof LoopExit) return { outcome: error.outcome, isExit: true };
    throw error;
  }
}

function checkLoop<State extends object>({ body, until, maxIterations }: LoopOptions<State>, scope: Scope): Known {
  if (!(Number.isInteger(maxIterations) && maxIterations > 0)) {
    scope.fault('maxIterations is a whole number above 0');
  }
  // A round may read values that the previous round has written.
  const first = scope.muted();
  checkStep(body, first, { segment: '[1]', changes: { exits: { isUsed: false } } });
  const exits = { isUsed: false };
  const known = checkStep(body, scope, { segment: '[1]', changes: { exits, later: first.written } });
  if (until === undefined && !exits.isUsed)
    scope.fault('it has no end condition: give it "until", or an exit() in its body');
  const properties = { outcome: TEXT, rounds: INTEGER, value: known.schema ?? {} };
  return { schema: objectOf(properties), origin: 'the value of the loop' };
}

const TEXT: JsonObject = { type: 'string' };
const INTEGER: JsonObject = { type: 'integer' };

function objectOf(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

function schemaOf(name: string, scope: Scope): JsonObject {
  return scope.get(name)?.schema ?? {};
}

function isEmpty({ value, artifacts }: Outcome): boolean {
  return (value === undefined || value === '' || value === null) && artifacts.length === 0;
}
