import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { QUESTIONS_EXTENSION } from '@parley/protocol/extension/questions.js';
import type { Task } from '@parley/protocol/model/task.js';
import { idsOf, insist, type Replicas } from './caller.js';
import { spread } from '../check/figures.js';
import { type Fleet, until } from '../fleet/fleet.js';
import type { Random } from './random.js';
import { readStoredTasks, type StoredTask } from '../check/stored-tasks.js';
import { violationsIn } from '../check/verdict.js';

/** Order for the skill `tree`. */
export interface TreePlan {
  readonly depth: number;
  readonly width: number;
  /** Children of one task that run at once. */
  readonly limit: number;
  readonly steps: number;
  readonly pauseMs: number;
  readonly asks: boolean;
}

interface Leaf {
  readonly id: string;
  readonly path: string;
  readonly tokens: readonly string[];
  readonly answer: string;
}

interface Listed {
  readonly id: string;
  readonly text: string;
}

/** Faults of trees, counted; none where all is as promised. */
export interface TreeFindings {
  readonly trees: number;
  readonly tasks: number;
  readonly unfinished: number;
  readonly doubled: number;
  readonly repeatedSteps: number;
  readonly wrongResults: number;
  readonly gaps: number;
  readonly violations: number;
  readonly details: readonly string[];
}

const SENDERS = 8;
const LOOK_EVERY_MS = 100;
const PEOPLE = 32;

/** Tasks of one tree. */
export function tasksOf({ depth, width }: TreePlan): number {
  return Array.from({ length: depth + 1 }, (_unused, level) => width ** level).reduce((sum, count) => sum + count, 0);
}

/** Begins trees and answers their questions, until all have ended. Returns how long each answer took to be taken, ms. */
export class TreeWork {
  readonly roots: string[] = [];
  readonly answerMs: number[] = [];
  private readonly answered = new Set<string>();

  constructor(
    private readonly plan: TreePlan,
    private readonly replicas: Replicas,
    private readonly random: Random,
    private readonly skillId = 'tree',
  ) {}

  async run(trees: number, timeoutMs: number): Promise<void> {
    let left = trees;
    const sender = async (): Promise<void> => {
      while (left-- > 0) this.roots.push(await this.begin());
    };
    await Promise.all(Array.from({ length: SENDERS }, sender));
    await until(async () => {
      if (this.plan.asks) await this.answerAll();
      await pause(LOOK_EVERY_MS);
      const open = await Promise.all(
        (['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'TASK_STATE_INPUT_REQUIRED'] as const).map((state) =>
          idsOf(this.replicas, state),
        ),
      );
      return open.flat().length === 0;
    }, timeoutMs);
  }

  private async begin(): Promise<string> {
    const { result, error } = await insist(this.replicas, 'SendMessage', {
      message: {
        ...{ messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: this.plan }] },
        metadata: { skillId: this.skillId },
      },
      configuration: { returnImmediately: true },
    });
    if (result?.task === undefined) throw new Error(`No tree was begun: ${error?.message ?? 'no task'}`);
    return result.task.id;
  }

  /** All questions that are shown, in any order, each twice: one answer is taken. */
  private async answerAll(): Promise<void> {
    const roots = await idsOf(this.replicas, 'TASK_STATE_INPUT_REQUIRED');
    const shown = await Promise.all(roots.map((root) => this.questionsOf(root)));
    const open = shown.flat().filter(({ id }) => !this.answered.has(id));
    const mixed = open.map((one) => ({ one, at: this.random.between(0, 1_000_000) })).sort((a, b) => a.at - b.at);
    for (const { one } of mixed) this.answered.add(one.id);
    // As many people as may answer in one moment: with all at once, an answer would only be measured in the queue of the others.
    const waiting = mixed.flatMap(({ one }) => [one, one]);
    const person = async (): Promise<void> => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await this.answer(next);
    };
    await Promise.all(Array.from({ length: PEOPLE }, person));
  }

  private async questionsOf(root: string): Promise<readonly (Listed & { readonly root: string })[]> {
    const { result } = await insist(this.replicas, 'GetTask', { id: root, historyLength: 0 });
    const { status } = result as unknown as Task;
    const entry = status.message?.metadata?.[QUESTIONS_EXTENSION] as
      { readonly questions?: readonly Listed[] } | undefined;
    return (entry?.questions ?? []).map((question) => ({ ...question, root }));
  }

  private async answer({ id, root, text }: Listed & { readonly root: string }): Promise<void> {
    const message = {
      ...{ messageId: randomUUID(), taskId: root, role: 'ROLE_USER', parts: [{ text: `I am ${pathIn(text)}` }] },
      metadata: { [QUESTIONS_EXTENSION]: { questionId: id } },
    };
    const { ms } = await insist(this.replicas, 'SendMessage', { message, configuration: { returnImmediately: true } });
    this.answerMs.push(ms);
  }
}

function pathIn(text: string): string {
  return /Who is (\S+)\?/.exec(text)?.[1] ?? '';
}

/** Compares the results of trees with their plan and with the stored state of each task. */
export async function treeFindings(fleet: Fleet, work: TreeWork, plan: TreePlan): Promise<TreeFindings> {
  const stored = await readStoredTasks(fleet.redis.url, fleet.keyPrefix);
  const byId = new Map(stored.map((task) => [task.id, task]));
  const details: string[] = [];
  const count = (faults: readonly string[]): number => {
    details.push(...faults.slice(0, 3));
    return faults.length;
  };
  const roots = work.roots.flatMap((id) => byId.get(id) ?? []);
  const leaves = roots.map((root) => leavesOf(root));
  const violated = await violationsIn(fleet);
  return {
    ...{ trees: work.roots.length, tasks: stored.length },
    unfinished: count(stored.filter(isUnfinished).map(({ id, fields }) => `${id} is ${fields.state ?? ''}`)),
    doubled: Math.abs(stored.length - work.roots.length * tasksOf(plan)),
    repeatedSteps: count(stored.flatMap(repeatedSteps)),
    wrongResults: count(leaves.flatMap((own) => wrongResults(own, plan, byId))),
    gaps: count(stored.filter(hasGap).map(({ id }) => `${id} has a gap`)),
    violations: count(violated),
    details,
  };
}

/** The zeros of trees, in words. */
export function treePromises(fleet: Fleet, findings: TreeFindings): Readonly<Record<string, boolean>> {
  const { unfinished, doubled, repeatedSteps: repeated, wrongResults: wrong, gaps, violations, details } = findings;
  const because = details.length === 0 ? '' : `: ${details.slice(0, 3).join('; ')}`;
  return {
    [`trees are not completed${because}`]: unfinished === 0,
    'children are missing, doubled or orphaned': doubled === 0,
    [`finished steps were repeated${because}`]: repeated === 0,
    [`results are wrong${because}`]: wrong === 0,
    'events are not numbered without a gap': gaps === 0,
    [`stored tasks are not as they must be${because}`]: violations === 0,
    [`processes ended by themselves: ${fleet.surprises.slice(0, 3).join('; ')}`]: fleet.surprises.length === 0,
  };
}

/** Runs of a task that overlap, at most, from their first event to their last. */
export function mostAtOnce(tasks: readonly StoredTask[]): number {
  const moments = tasks.flatMap((task) => {
    const times = task.events.flatMap(({ event }) =>
      'statusUpdate' in event ? [Date.parse(event.statusUpdate.status.timestamp)] : [],
    );
    return times.length < 2
      ? []
      : [
          { at: Math.min(...times), by: 1 },
          { at: Math.max(...times), by: -1 },
        ];
  });
  let [now, most] = [0, 0];
  for (const { by } of moments.sort((a, b) => a.at - b.at || a.by - b.by)) {
    now += by;
    most = Math.max(most, now);
  }
  return most;
}

/** The figures of answers, ms. */
export function answerFigures({ answerMs }: TreeWork) {
  return spread(answerMs);
}

function isUnfinished({ fields }: StoredTask): boolean {
  return fields.state !== 'TASK_STATE_COMPLETED';
}

function hasGap({ events }: StoredTask): boolean {
  return events.some(({ seq }, at) => seq !== at + 1);
}

/** A step that was stored says the same token for ever. */
export function repeatedSteps({ id, events }: StoredTask): readonly string[] {
  const tokens = new Map<number, string>();
  return events.flatMap(({ event }) => {
    const metadata = 'statusUpdate' in event ? event.statusUpdate.metadata : undefined;
    const { step, token } = (metadata ?? {}) as { readonly step?: number; readonly token?: string };
    if (step === undefined || token === undefined) return [];
    const known = tokens.get(step);
    tokens.set(step, token);
    return known === undefined || known === token ? [] : [`${id} did step ${String(step)} again`];
  });
}

/** The leaves that the artifacts of a task name. */
export function leavesOf({ events }: StoredTask): readonly Leaf[] {
  return events.flatMap(({ event }) => {
    if (!('artifactUpdate' in event)) return [];
    return event.artifactUpdate.artifact.parts.flatMap((part) =>
      'data' in part ? (part.data as { readonly leaves: readonly Leaf[] }).leaves : [],
    );
  });
}

function wrongResults(
  leaves: readonly Leaf[],
  { width, depth, steps, asks }: TreePlan,
  byId: ReadonlyMap<string, StoredTask>,
): readonly string[] {
  const wanted = width ** depth;
  const ids = new Set(leaves.map(({ id }) => id));
  if (leaves.length !== wanted || ids.size !== wanted) return [`${String(leaves.length)} of ${String(wanted)} leaves`];
  return leaves.flatMap(({ id, path, tokens, answer }) => {
    const task = byId.get(id);
    const [own] = task === undefined ? [] : leavesOf(task);
    if (JSON.stringify(own?.tokens) !== JSON.stringify(tokens) || tokens.length !== steps)
      return [`${id}: its parent has another result`];
    return asks && answer !== `I am ${path}` ? [`${path} got the answer "${answer}"`] : [];
  });
}
