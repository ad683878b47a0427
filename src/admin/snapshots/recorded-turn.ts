import type { Message } from '@parley/protocol/model/message.js';
import type { StoredAnswer } from '@parley/protocol/extension/questions.js';
import { outcomeOf } from '../../agents/tree/child-outcome.js';
import type { CallOutcome, CallSpec } from '@parley/sdk/skill/calls/call.js';
import type { Bundle, RecordedTask } from './bundle.js';

/** The input of a run in one turn, from its journal. */
export interface RecordedTurn {
  readonly number: number;
  readonly message: Message;
  /** The messages before it. */
  readonly history: readonly Message[];
  /** Results of its steps. */
  readonly steps: ReadonlyMap<string, unknown>;
  /** Answers to its questions in the order of the questions; undefined for one without a timely answer. */
  readonly answers: readonly (StoredAnswer | undefined)[];
  /** Start of its first run, ms since 1970. */
  readonly begun: number;
}

/** The turns of a recorded task: each begins with one message of its caller. */
export function turnsOf({ about, snapshot: { history = [] }, journal }: RecordedTask): readonly RecordedTurn[] {
  const said = history.flatMap((message, at) => (isOfTurn(message) ? [{ message, at }] : []));
  return said.slice(0, about.turn).map(({ message, at }, index) => {
    const number = index + 1;
    const run = about.runs.find(({ turn }) => turn === number);
    return {
      ...{ number, message, history: history.slice(0, at) },
      ...{ steps: stepsOf(journal, number), answers: answersOf(journal, number) },
      begun: Date.parse(run?.begun ?? about.created),
    };
  });
}

/** The outcome of a call of a recorded task; undefined if the bundle lacks its child. */
export function recordedOutcome({ tasks }: Bundle, parent: RecordedTask, { key }: CallSpec): CallOutcome | undefined {
  const path = `${parent.about.tree?.path ?? parent.about.skill}/${key}`;
  const child = [...tasks.values()].find(
    ({ about: { tree } }) => tree?.parent === parent.about.id && tree.path === path,
  );
  return child === undefined ? undefined : outcomeOf(child.snapshot);
}

/** Answers to questions of a turn begin no turn. */
function isOfTurn({ role, metadata }: Message): boolean {
  return role === 'ROLE_USER' && !JSON.stringify(metadata ?? {}).includes('"answered":[');
}

function stepsOf(journal: RecordedTask['journal'], turn: number): ReadonlyMap<string, unknown> {
  const prefix = `${String(turn)}:`;
  const own = [...journal].filter(([field]) => field.startsWith(prefix));
  return new Map(own.map(([field, value]) => [field.slice(prefix.length), memberOf(value, 'value')]));
}

function answersOf(journal: RecordedTask['journal'], turn: number): readonly (StoredAnswer | undefined)[] {
  const asked = [...journal].flatMap(([field, call]) => {
    const number = new RegExp(`^${String(turn)}#(\\d+)$`).exec(field)?.[1];
    return number !== undefined && String(memberOf(call, 'what')).startsWith('ask ') ? [Number(number)] : [];
  });
  const inOrder = asked.sort((one, other) => one - other);
  return inOrder.map((number) => journal.get(`${String(turn)}!${String(number)}`) as StoredAnswer | undefined);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
