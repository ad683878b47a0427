import canonicalize from 'canonicalize';
import type { SkillEvent } from '@parley/sdk/skill/events.js';
import { SkillFailure, SkillRejection } from '@parley/sdk/skill/skill-failure.js';
import type { SkillUnderTest } from '@parley/sdk/testing/child-answer.js';
import { streamSkill } from '@parley/sdk/testing/run-skill.js';
import type { Bundle, RecordedTask } from './bundle.js';
import { BundleError } from './bundle-lines.js';
import { type ComparedEvent, recordedEvents, saidEvents, statusEvent } from './recorded-events.js';
import { recordedOutcome, type RecordedTurn, turnsOf } from './recorded-turn.js';

/** `recorded`: its result came from the bundle; `live`: it ran now; `vanished`: it was recorded and not requested. */
export interface ReplayedStep {
  readonly turn: number;
  readonly name: string;
  readonly how: 'recorded' | 'live' | 'vanished';
}

export interface ReplayReport {
  readonly task: string;
  readonly skill: string;
  readonly turns: number;
  readonly events: number;
  readonly steps: readonly ReplayedStep[];
  /** The first event that differs; absent where all are equal. */
  readonly difference?: {
    readonly at: number;
    readonly recorded: ComparedEvent | undefined;
    readonly now: ComparedEvent | undefined;
  };
}

/**
 * Runs a skill over the recorded messages of a task, without a service. Steps, answers and calls of other skills get
 * the bundle's values; those that it lacks run. @throws BundleError for a bundle that cannot be replayed
 */
export async function replayBundle(bundle: Bundle, skill: SkillUnderTest): Promise<ReplayReport> {
  const { manifest, tasks } = bundle;
  const recorded = tasks.get(manifest.task);
  if (recorded === undefined || bundle.isCut) throw new BundleError('The bundle is cut, so it cannot be replayed');
  if (manifest.isStripped) throw new BundleError('The bundle has no content, so it cannot be replayed');
  if (recorded.firstSeq > 1)
    throw new BundleError('The first events of the task were trimmed: nothing to compare with');
  const state = new Map<string, unknown>();
  const events: ComparedEvent[] = [];
  const steps: ReplayedStep[] = [];
  const turns = turnsOf(recorded);
  for (const turn of turns) {
    const known = new AskedSteps(turn);
    events.push(...(await replayTurn({ bundle, recorded, turn, state, steps: known }, skill)));
    steps.push(...known.report(turn));
  }
  const before = recordedEvents(recorded.events);
  const at = firstDifference(before, events);
  return {
    ...{ task: manifest.task, skill: recorded.about.skill, turns: turns.length, events: before.length, steps },
    ...(at === undefined ? {} : { difference: { at, recorded: before[at], now: events[at] } }),
  };
}

interface ReplayedTurn {
  readonly bundle: Bundle;
  readonly recorded: RecordedTask;
  readonly turn: RecordedTurn;
  readonly state: Map<string, unknown>;
  readonly steps: Map<string, unknown>;
}

async function replayTurn(
  { bundle, recorded, turn, state, steps }: ReplayedTurn,
  skill: SkillUnderTest,
): Promise<readonly ComparedEvent[]> {
  const { about, snapshot } = recorded;
  const { number, message, history, begun } = turn;
  const answers = [...turn.answers];
  const said: SkillEvent[] = [];
  const stream = streamSkill(skill, {
    ...{ taskId: about.id, contextId: about.contextId, rootId: about.tree?.root ?? about.id, turn: number },
    ...{ parts: message.parts, history, state, steps, nowMs: begun },
    ...(message.metadata === undefined ? {} : { messageMetadata: message.metadata }),
    ...(snapshot.metadata === undefined ? {} : { metadata: snapshot.metadata }),
    principal: {
      ...{ tenant: about.tenant, client: about.client },
      ...(about.subject === undefined ? {} : { subject: about.subject }),
    },
    recorded: { answer: () => answers.shift(), outcome: (call) => recordedOutcome(bundle, recorded, call) },
  });
  try {
    for await (const event of stream) said.push(event);
  } catch (error) {
    return [...saidEvents(said), endOf(error)];
  }
  const last = said.at(-1);
  const hasEnded = last?.kind === 'status' && last.state !== 'TASK_STATE_WORKING';
  return hasEnded ? saidEvents(said) : [...saidEvents(said), statusEvent('TASK_STATE_COMPLETED', [])];
}

function endOf(error: unknown): ComparedEvent {
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof SkillRejection) return statusEvent('TASK_STATE_REJECTED', [{ text }]);
  if (error instanceof SkillFailure) return statusEvent('TASK_STATE_FAILED', [{ text }]);
  // The caller got a reference id, so the text of an unexpected error is not compared.
  return { kind: 'status', what: 'TASK_STATE_FAILED', value: { threw: text } };
}

function firstDifference(before: readonly ComparedEvent[], now: readonly ComparedEvent[]): number | undefined {
  for (let at = 0; at < Math.max(before.length, now.length); at += 1) {
    const [one, other] = [before[at], now[at]];
    if (one === undefined || other === undefined || !isEqual(one, other)) return at;
  }
  return undefined;
}

function isEqual(one: ComparedEvent, other: ComparedEvent): boolean {
  if (one.kind !== other.kind || one.what !== other.what) return false;
  const isUnexpected = typeof other.value === 'object' && other.value !== null && 'threw' in other.value;
  return isUnexpected || canonicalize(one.value) === canonicalize(other.value);
}

/** The steps of a turn; records those that a run requests. */
class AskedSteps extends Map<string, unknown> {
  private readonly asked = new Set<string>();

  constructor({ steps }: RecordedTurn) {
    super();
    for (const [name, value] of steps) this.set(name, value);
  }

  override has(name: string): boolean {
    this.asked.add(name);
    return super.has(name);
  }

  report({ number: turn, steps }: RecordedTurn): readonly ReplayedStep[] {
    return [...this.keys()].map((name) => {
      if (!steps.has(name)) return { turn, name, how: 'live' };
      return { turn, name, how: this.asked.has(name) ? 'recorded' : 'vanished' };
    });
  }
}
