import canonicalize from 'canonicalize';
import type { StreamResponse } from '@parley/protocol/model/event.js';
import { type Bundle, BundleError, type RecordedTask } from './bundle-lines.js';

/** One difference of two runs. `a` or `b` is absent if that run lacks it. */
export interface BundleDifference {
  readonly kind: 'state' | 'event-count' | 'step' | 'step-time' | 'artifact' | 'message' | 'call';
  /** The step, artifact or call. */
  readonly what: string;
  readonly a?: unknown;
  readonly b?: unknown;
}

/** A step is slower if it takes this many times as long, and this much longer. */
const SLOWER = 2;
const SLOWER_MS = 100;

/** Compares the runs of two tasks: by turn and step, artifact, call and status. */
export function diffBundles(a: Bundle, b: Bundle): readonly BundleDifference[] {
  const [one, other] = [rootOf(a), rootOf(b)];
  return [
    ...differing('state', new Map([['', one.about.state]]), new Map([['', other.about.state]])),
    ...differing('event-count', new Map([['', one.events.length]]), new Map([['', other.events.length]])),
    ...differing('step', stepValues(one), stepValues(other)),
    ...slowerSteps(one, other),
    ...differing('artifact', artifactsOf(one), artifactsOf(other)),
    ...differing('message', messagesOf(one.events), messagesOf(other.events)),
    ...differing('call', callsOf(a), callsOf(b)),
  ];
}

function rootOf({ manifest, tasks }: Bundle): RecordedTask {
  const task = tasks.get(manifest.task);
  if (task === undefined) throw new BundleError('The bundle is cut: its task is missing');
  return task;
}

function differing(
  kind: BundleDifference['kind'],
  a: ReadonlyMap<string, unknown>,
  b: ReadonlyMap<string, unknown>,
): readonly BundleDifference[] {
  const names = [...new Set([...a.keys(), ...b.keys()])];
  return names.flatMap((what) => {
    if (a.has(what) && b.has(what) && canonicalize(a.get(what)) === canonicalize(b.get(what))) return [];
    return [{ kind, what, ...(a.has(what) ? { a: a.get(what) } : {}), ...(b.has(what) ? { b: b.get(what) } : {}) }];
  });
}

/** Results of steps by `<turn>:<name>`, without their times. */
function stepValues({ journal }: RecordedTask): ReadonlyMap<string, unknown> {
  const steps = [...journal].filter(([field]) => /^\d+:/.test(field));
  return new Map(steps.map(([field, entry]) => [field, (entry as { readonly value?: unknown }).value ?? null]));
}

function slowerSteps(one: RecordedTask, other: RecordedTask): readonly BundleDifference[] {
  return other.about.steps.flatMap(({ turn, name, ms: b }) => {
    const a = one.about.steps.find((step) => step.turn === turn && step.name === name)?.ms;
    if (a === undefined || b === undefined) return [];
    const [fast, slow] = a < b ? [a, b] : [b, a];
    if (slow < fast * SLOWER || slow - fast < SLOWER_MS) return [];
    return [{ kind: 'step-time', what: `${String(turn)}:${name}`, a, b }];
  });
}

function artifactsOf({ snapshot: { artifacts = [] } }: RecordedTask): ReadonlyMap<string, unknown> {
  return new Map(artifacts.map(({ artifactId, ...rest }) => [artifactId, rest]));
}

/** The messages of its states in their order. */
function messagesOf(events: readonly StreamResponse[]): ReadonlyMap<string, unknown> {
  const said = events.flatMap((event) => {
    if (!('statusUpdate' in event) || event.statusUpdate.status.message === undefined) return [];
    const { state, message } = event.statusUpdate.status;
    return [{ state, parts: message.parts }];
  });
  return new Map(said.map((one, at) => [String(at + 1), one]));
}

/** Tasks that it called, by their calls. */
function callsOf({ manifest, tasks }: Bundle): ReadonlyMap<string, unknown> {
  const children = [...tasks.values()].filter(({ about }) => about.id !== manifest.task);
  return new Map(
    children.map(({ about: { tree, skill, state }, snapshot: { artifacts = [] } }) => {
      const results = artifacts.map(({ artifactId, parts }) => ({ artifactId, parts }));
      return [tree?.path ?? skill, { state, results }];
    }),
  );
}
