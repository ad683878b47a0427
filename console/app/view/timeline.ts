import type { EventView } from '../../../src/tasks/survey/event-view.js';
import type { Fault, TaskDetails, TaskTree } from '../api/types.js';
import type { TaskWebhooks } from '../api/webhook-types.js';
import { durationText, lookOf, shortId, type Tone } from './format.js';
import { whyText } from './why.js';

/** A piece of a lane: a time span, or a moment where it has no end of its own. */
export interface Piece {
  readonly key: string;
  readonly text: string;
  /** More words, for the list and on hover. */
  readonly more: string;
  readonly from: number;
  /** ms since 1970; undefined: it continues. */
  readonly to?: number | undefined;
  readonly tone: Tone | 'wait';
  readonly isMoment?: boolean;
  readonly isFailure?: boolean;
  /** The task that it leads to. */
  readonly task?: string;
  /** The message, or the reason of a failure. */
  readonly said?: string;
  /** The skill of the child that it came from. */
  readonly of?: string;
  /** The step whose result can be read. */
  readonly step?: { readonly turn: number; readonly name: string };
  /** Moments beside it that it is drawn for too. */
  readonly further?: number;
}

export interface Lane {
  readonly name: string;
  readonly pieces: readonly Piece[];
}

export interface TimelineParts {
  readonly task: TaskDetails;
  readonly events: readonly EventView[];
  readonly tree: TaskTree | undefined;
  readonly webhooks: TaskWebhooks | undefined;
}

/** How a run ended, in colour. */
const ENDINGS: Readonly<Record<string, Tone>> = {
  completed: 'completed',
  failed: 'failed',
  canceled: 'canceled',
  rejected: 'rejected',
  lost: 'failed',
  broken: 'failed',
  'input-required': 'input',
  'auth-required': 'auth',
};

/** The lanes of a task: each shows one kind of thing, those that have nothing are left out. */
export function lanesOf({ task, events, tree, webhooks }: TimelineParts): readonly Lane[] {
  const lanes = [
    { name: 'Waits', pieces: waitsOf(task) },
    { name: 'Runs', pieces: runsOf(task) },
    { name: 'Steps', pieces: stepsOf(task) },
    { name: 'States', pieces: statesOf(events) },
    { name: 'Children', pieces: childrenOf(task, tree) },
    { name: 'Webhooks', pieces: attemptsOf(webhooks) },
  ];
  return lanes.filter(({ pieces }) => pieces.length > 0);
}

/** The times in which no run had the task: in line, between runs, for an answer, parked. */
function waitsOf({ created, runs, state, since, parked }: TaskDetails): readonly Piece[] {
  const pieces: Piece[] = [];
  let [at, why] = [ms(created), 'in line'];
  for (const [index, run] of runs.entries()) {
    const begun = ms(run.begun);
    if (begun - at >= 1) {
      pieces.push({
        key: `w${String(index)}`,
        text: why,
        more: `${why} for ${durationText(begun - at)}`,
        from: at,
        to: begun,
        tone: 'wait',
      });
    }
    if (run.ended === undefined) return pieces;
    [at, why] = [ms(run.ended), waitAfter(run.how)];
  }
  const end = lookOf(state).isOver ? ms(since) : undefined;
  if (end !== undefined && end - at < 1) return pieces;
  const words = parked === undefined ? why : (WAITS[parked.waitsFor ?? ''] ?? 'asleep');
  const more = end === undefined ? `${words} until now` : `${words} for ${durationText(end - at)}`;
  return [...pieces, { key: 'w-last', text: words, more, from: at, to: end, tone: 'wait' }];
}

const WAITS: Partial<Record<string, string>> = {
  children: 'for children',
  remote: 'for another agent',
  answer: 'for an answer',
};

function waitAfter(how = ''): string {
  if (how === 'input-required') return 'for an answer';
  if (how === 'auth-required') return 'for a log-in';
  if (how === 'parked') return 'parked';
  return how === 'lost' || how === 'broken' ? 'for the next attempt' : 'in line';
}

function runsOf({ runs }: TaskDetails): readonly Piece[] {
  return runs.map(({ turn, attempt, worker, begun, ended, how = 'running', fault }, at) => {
    const took = ended === undefined ? 'still running' : `took ${durationText(ms(ended) - ms(begun))}`;
    return {
      ...{ key: `r${String(at)}`, text: `turn ${String(turn)}${attempt > 1 ? `, attempt ${String(attempt)}` : ''}` },
      more: `Run ${String(at + 1)}, turn ${String(turn)}, attempt ${String(attempt)} by ${shortId(worker)}: ${how}, ${took}`,
      ...{ from: ms(begun), to: ended === undefined ? undefined : ms(ended), tone: ENDINGS[how] ?? 'working' },
      isFailure: how === 'lost' || how === 'broken' || how === 'failed',
      ...(fault === undefined ? {} : { said: faultText(fault) }),
    };
  });
}

function faultText({ type, message, reference }: Fault): string {
  return `${type}: ${message}${reference === undefined ? '' : ` (reference ${reference})`}`;
}

function stepsOf({ steps }: TaskDetails): readonly Piece[] {
  return steps.flatMap(({ turn, name, begun, ms: took, of }, at) => {
    if (begun === undefined || took === undefined) return [];
    const how = of === undefined ? `took ${durationText(took)}` : `was taken over from task ${shortId(of)}`;
    const more = `Step ${name} of turn ${String(turn)} ${how}`;
    return {
      key: `s${String(at)}`,
      text: name,
      more,
      from: ms(begun),
      to: ms(begun) + took,
      tone: 'working' as const,
      step: { turn, name },
    };
  });
}

function statesOf(events: readonly EventView[]): readonly Piece[] {
  return events.flatMap(({ seq, state, at, bytes, text: said, child }) => {
    if (state === undefined || at === undefined) return [];
    // An event of a child is in the log of its parent, with the state of the child beside it.
    const { word, tone } = lookOf(child?.state ?? state);
    const from = child === undefined ? '' : ` of the child ${child.skill}`;
    const more = `Event ${String(seq)}${from}: ${word}${said === undefined ? '' : `: ${said}`}, ${String(bytes)} bytes`;
    return {
      key: `e${String(seq)}`,
      text: word,
      more,
      from: ms(at),
      to: ms(at),
      tone,
      isMoment: true,
      isFailure: tone === 'failed',
      ...(said === undefined ? {} : { said }),
      ...(child === undefined ? {} : { task: child.taskId, of: child.skill }),
    };
  });
}

function childrenOf(task: TaskDetails, tree: TaskTree | undefined): readonly Piece[] {
  const own = (tree?.tasks ?? []).filter(({ parent }) => parent === task.id);
  return own.map(({ id, skill, key = '', state, created, updated, ...failure }) => {
    const said = whyText(failure);
    const { word, tone, isOver } = lookOf(state);
    const to = isOver ? ms(updated) : undefined;
    const more = `Child ${skill} (${key}): ${word}${to === undefined ? '' : `, took ${durationText(to - ms(created))}`}`;
    return {
      key: id,
      text: skill,
      more,
      from: ms(created),
      to,
      tone,
      isFailure: tone === 'failed',
      task: id,
      ...(said === undefined ? {} : { said }),
    };
  });
}

function attemptsOf(webhooks: TaskWebhooks | undefined): readonly Piece[] {
  return (webhooks?.attempts ?? []).map(({ at, origin, seq, attempt, outcome, status, reason, ms: took }, index) => {
    const isGood = outcome === 'delivered';
    const answer = status === undefined ? (reason ?? '') : String(status);
    return {
      ...{ key: `a${String(index)}`, text: answer, from: ms(at), to: ms(at) + took, isMoment: true },
      more: `Event ${String(seq)} to ${origin}, attempt ${String(attempt)}: ${outcome} ${answer}, took ${durationText(took)}`,
      ...{ tone: isGood ? ('completed' as const) : ('failed' as const), isFailure: !isGood },
    };
  });
}

function ms(time: string): number {
  return Date.parse(time);
}
