import type { Artifact } from '@parley/protocol/model/task.js';
import { resultOf } from '../skill/event-result.js';
import type { SkillEvent } from '../skill/events.js';
import { SkillFailure } from '../skill/skill.js';
import { turnContent } from '../skill/content/turn-content.js';
import type { ModelRound } from './doubles/test-models.js';
import type { SkillUnderTest } from './child-answer.js';
import { aContext, runIn, turnOf } from './run-skill.js';
import type { SkillInput } from './test-input.js';
import { undoWork } from './undo-work.js';
import type { MadeCall } from './waiting-run.js';

/** Outcome of the turn of an agent. */
export interface FlowRun {
  readonly state: 'completed' | 'rejected' | 'failed' | 'input-required' | 'auth-required';
  /** The last message; the reason of a failure. */
  readonly text: string;
  readonly events: readonly SkillEvent[];
  readonly artifacts: readonly Artifact[];
  /** The first value of a data part of its artifacts. */
  readonly output: unknown;
  /** Calls in the order in which they were answered: each once, however often the agent was run. */
  readonly calls: readonly MadeCall[];
  /** Of an agent that failed: the calls that took its finished work back, newest work first, and those that could not. */
  readonly undone: readonly MadeCall[];
  readonly notUndone: readonly MadeCall[];
  /** The events that it has published, each once. */
  readonly published: readonly { readonly type: string; readonly subject?: string; readonly data?: unknown }[];
  /** The requests to language models, of its children too, in the order of their replies. */
  readonly rounds: readonly ModelRound[];
  /** How often the agent was run: once, and again after each wait and each crash. */
  readonly runs: number;
}

const STATES = {
  TASK_STATE_REJECTED: 'rejected',
  TASK_STATE_INPUT_REQUIRED: 'input-required',
  TASK_STATE_AUTH_REQUIRED: 'auth-required',
  TASK_STATE_WORKING: 'completed',
  TASK_STATE_COMPLETED: 'completed',
} as const;

/**
 * Runs one turn of an agent without any server. `children` has the skills that it calls, or their answers; with
 * `crashAfter` its run is lost and repeated from the journal. A `SkillFailure` gives the state `failed`; other errors
 * are rethrown.
 */
export async function runFlow(agent: SkillUnderTest, input: SkillInput | string = {}): Promise<FlowRun> {
  const given = typeof input === 'string' ? { text: input } : input;
  const rounds = given.rounds ?? [];
  const context = aContext({ ...given, rounds });
  const events: SkillEvent[] = [];
  let failure: SkillFailure | undefined;
  try {
    for await (const event of runIn(context, agent, given.deploy)) events.push(event);
  } catch (error) {
    if (!(error instanceof SkillFailure)) throw error;
    failure = error;
  }
  const { artifacts, message } = resultOf(events);
  const turn = turnOf(context);
  return {
    state: failure === undefined ? stateOf(events) : 'failed',
    text: failure?.message ?? turnContent([{ parts: message }]).text,
    ...{ events, artifacts, output: turnContent(artifacts).data[0] },
    ...{ calls: turn?.made ?? [], runs: turn?.runs ?? 1, rounds },
    ...(turn === undefined || failure === undefined ? { undone: [], notUndone: [] } : await undoWork(turn)),
    published: (turn?.published ?? []).map(({ data, ...one }) => ({
      ...one,
      ...(data === undefined ? {} : { data: JSON.parse(data) as unknown }),
    })),
  };
}

function stateOf(events: readonly SkillEvent[]): FlowRun['state'] {
  const last = events.findLast((event) => event.kind === 'status');
  return last?.kind === 'status' ? STATES[last.state] : 'completed';
}
