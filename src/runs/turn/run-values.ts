import type { Span } from '@opentelemetry/api';
import { traced } from '../../platform/tracing/traced.js';
import { journaledName } from '@parley/sdk/skill/replay/model-round.js';
import type { SharedState, SkillState } from '@parley/sdk/skill/skill.js';
import type { ClaimedRun, RunStore } from '../../tasks/commit/run.store.js';
import { type StepOptions, undoOf } from '@parley/sdk/skill/undo.js';
import { undoEntry } from '../../tasks/record/journal-entries.js';
import { RunLost } from '../../tasks/record/run-lost.js';
import type { StoredScope } from '@parley/sdk/skill/shared/scope.js';
import { fleetingState } from '@parley/sdk/skill/shared/scoped-state.js';
import type { RunMemory } from './run-memory.js';
import type { TurnWaits } from '../calls/turn-waits.js';

/** The stores of a run's values. */
export interface ValueSources {
  readonly run: ClaimedRun;
  readonly store: RunStore;
  readonly memory: RunMemory;
  readonly turn: { readonly waits: TurnWaits };
}

/** The skill's state of its task. Reads and writes are journaled: a repeated run repeats neither. */
export function taskState({ run, store, turn: { waits } }: ValueSources): SkillState {
  return {
    get: (name) =>
      waits.replay.ask(
        `state.get ${name}`,
        async () => {
          const text = await store.notebook.readState(run, name);
          return text === null ? {} : { json: text, value: JSON.parse(text) as unknown };
        },
        valueOf,
      ),
    set: async (name, value) => {
      const json = JSON.stringify(value ?? null);
      await waits.replay.ask(
        `state.set ${name}`,
        async () => {
          const { notes, saved } = waits.notes.unsaved();
          if (!(await store.notebook.writeState(run, name, json, notes.entries))) throw new RunLost();
          saved();
          return {};
        },
        () => undefined,
      );
    },
  };
}

/** The shared values of a run, by scope. */
export function sharedOf(sources: ValueSources): (scope: StoredScope) => SharedState {
  const { run, memory, turn } = sources;
  const { contexts } = memory;
  const ofTurn = fleetingState();
  return (scope) => {
    switch (scope) {
      case 'tree':
        return contexts.permitted(run, turn.waits.tree.shared);
      case 'context':
        return contextStateOf(sources);
      case 'user':
        return contextStateOf(sources, ['shared.user', contexts.ofUser(run)]);
      case 'app':
        return contextStateOf(sources, ['shared.app', contexts.ofApp(run)]);
      case 'temp':
        return contexts.permitted(run, ofTurn);
    }
  };
}

/** The values of its context, which other tasks change too. */
function contextStateOf(
  { run, store, memory, turn: { waits } }: ValueSources,
  // The journal's word for it is older than scopes.
  [of, shared]: readonly [label: string, values: SharedState] = ['contextState', memory.contexts.of(run)],
): SharedState {
  const answer = async (reading: Promise<unknown>) => {
    const value = await reading;
    return value === undefined ? {} : { json: JSON.stringify(value), value };
  };
  /** Its values are in another part of Redis: the skill's reads are stored before it writes there. */
  const afterNotes = async (write: () => Promise<unknown>): Promise<unknown> => {
    const { notes, saved } = waits.notes.unsaved();
    if (notes.entries.length > 0 && !(await store.notebook.noteEntries(run, notes.entries))) throw new RunLost();
    saved();
    return write();
  };
  const asked = async (method: string, name: string, read: () => Promise<unknown>): Promise<unknown> => {
    return waits.replay.ask(`${of}.${method} ${name}`, () => answer(read()), valueOf);
  };
  return {
    get: (name) => asked('get', name, () => shared.get(name)),
    set: async (name, value) => {
      await asked('set', name, () => afterNotes(() => shared.set(name, value)));
    },
    setIfAbsent: (name, value) => asked('setIfAbsent', name, () => afterNotes(() => shared.setIfAbsent(name, value))),
  };
}

/** The name is an attribute and not the span's name: skills may generate many names. */
export async function runStep<T>(
  sources: ValueSources,
  { name: given, ...options }: StepOptions<T> & { readonly name: string },
  work: () => Promise<T>,
): Promise<T> {
  const { waits } = sources.turn;
  const name = journaledName(waits.replay, given);
  const value = await waits.replay.ask(
    `step ${name}`,
    (call) =>
      traced(
        'skill.step',
        () => ({ attributes: { 'a2a.step.name': name } }),
        (span) => stepped(sources, { name, work, span, call, options }),
      ),
    () => journalled(sources.run.repeats?.record.steps.get(name)),
  );
  return value as T;
}

async function stepped<T>(
  { run, store, turn: { waits } }: ValueSources,
  { name, work, span, call, options }: Stepping<T>,
): Promise<{ readonly value: T }> {
  const mayBeStored = run.repeats === undefined && (run.hasJournal || waits.notes.begun.has(name));
  const text =
    run.repeats?.record.steps.get(name) ??
    waits.notes.waiting(name) ??
    (mayBeStored ? await store.notebook.readStep(run, name) : null);
  span.setAttribute('a2a.step.journalled', typeof text === 'string');
  if (typeof text === 'string') return JSON.parse(text) as { value: T };
  waits.notes.begun.add(name);
  const at = Date.now();
  const value = await work();
  const json = JSON.stringify({ at, ms: Date.now() - at, seq: run.log.current.seq, value });
  const undo = undoOf(options, value);
  if (options.effects === 'none' && undo === undefined) {
    await waits.notes.keep(name, json);
    return { value };
  }
  const { notes, saved } = waits.notes.unsaved();
  const entries = undo === undefined ? [] : [undoEntry(run.turn, [call], { ...undo, of: name })];
  if (!(await store.notebook.noteStep(run, name, json, [...entries, ...notes.entries]))) throw new RunLost();
  if (undo !== undefined) run.log.hasUndo = true;
  saved();
  return { value };
}

/** The work of a step in progress. */
interface Stepping<T> {
  readonly name: string;
  readonly work: () => Promise<T>;
  readonly span: Span;
  readonly call: number;
  readonly options: StepOptions<T>;
}

function journalled(text: string | undefined): unknown {
  return text === undefined ? undefined : (JSON.parse(text) as { value: unknown }).value;
}

function valueOf(json: string | undefined): unknown {
  return json === undefined ? undefined : (JSON.parse(json) as unknown);
}
