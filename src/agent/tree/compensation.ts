import type { Task } from '@parley/protocol/model/task.js';
import { CallFailed, type CallFault, type CallInput } from '@parley/sdk/skill/calls/call.js';
import { type SkillEvent, working } from '@parley/sdk/skill/events.js';
import type { SkillContext, SkillHandler } from '@parley/sdk/skill/skill.js';
import { turnContent } from '@parley/sdk/skill/content/turn-content.js';
import { inputOfResult } from '@parley/sdk/skill/calls/undo-input.js';
import type { TaskEnd } from '../../task/commit/claimed-run.js';
import type { UndoEntry } from '../../task/record/journal-entries.js';
import type { Said } from '../../task/store/sweep.store.js';
import { outcomeOf } from './child-outcome.js';

/** A member of the metadata of the message of an end: which finished work was undone, and which was not. */
export const COMPENSATION = 'urn:parley:extension:compensation:1';

/** Faults after which another try may succeed. */
const PASSING: readonly CallFault[] = ['failed', 'deadline', 'canceled'];
const USUAL_RETRY = { times: 5, backoffMs: 1_000 } as const;
const USUAL_TIMEOUT_MS = 900_000;
/** How long open children of a task that ends are waited for, and how often they are looked for. */
const LOOKS = 60;
const LOOK_MS = 500;
/** Characters of a reason in the end of a task. */
const MOST_REASON = 500;

/** What the work to undo is read from. All of it is stored before the first is undone, and does not change any more. */
export interface UndoSource {
  /** The fields of the journal that undo work, newest first. */
  fields(): Promise<readonly string[]>;
  entry(field: string): Promise<UndoEntry>;
  child(id: string): Promise<Task | undefined>;
  /** Children of the task that have not ended, those that undo its work not counted. */
  openChildren(): Promise<number>;
}

/** One piece of work that could not be undone. */
export interface NotUndone {
  /** The name of the step, or the key of the call. */
  readonly of: string;
  readonly skill: string;
  readonly why: CallFault;
  readonly reason: string;
}

/** Thrown when all work was undone, as far as it could be: the task ends. */
export class Compensated extends Error {
  override readonly name = 'Compensated';

  constructor(
    readonly undone: readonly string[],
    readonly failed: readonly NotUndone[],
  ) {
    super('The finished work of the task is undone');
  }
}

/**
 * The turn that undoes the finished work of a task which fails or is canceled, newest first: each by a skill that runs as a
 * child. It is a turn like any other, so a worker that dies in it loses nothing. @throws Compensated at its end
 */
export class Compensation implements SkillHandler {
  constructor(private readonly source: UndoSource) {}

  async *run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    yield working('Finished work is being undone.');
    await this.childrenEnded(context);
    const fields = await context.step('work to undo', () => this.finished());
    const undone: string[] = [];
    const failed: NotUndone[] = [];
    for (const field of fields) {
      const entry = await this.source.entry(field);
      const fault = await this.undo(context, field, entry);
      if (fault === undefined) undone.push(entry.of);
      else failed.push({ of: entry.of, skill: entry.skill, ...fault });
    }
    throw new Compensated(undone, failed);
  }

  /** A child that is being canceled may still complete: its work is undone too. */
  private async childrenEnded({ step, sleep }: SkillContext): Promise<void> {
    for (let look = 0; look < LOOKS; look += 1) {
      if ((await step(`open children ${String(look)}`, () => this.source.openChildren())) === 0) return;
      await sleep(LOOK_MS);
    }
  }

  /** Steps have finished when they are stored; calls when their child is completed. */
  private async finished(): Promise<readonly string[]> {
    const fields = await this.source.fields();
    const known = await Promise.all(
      fields.map(async (field) => {
        const { child } = await this.source.entry(field);
        return child === undefined || (await this.source.child(child))?.status.state === 'TASK_STATE_COMPLETED';
      }),
    );
    return fields.filter((_field, at) => known[at]);
  }

  /** Why it could not be undone; undefined where it was. */
  private async undo(
    { call, sleep }: SkillContext,
    field: string,
    entry: UndoEntry,
  ): Promise<Pick<NotUndone, 'why' | 'reason'> | undefined> {
    const { skill, retry: { times, backoffMs = USUAL_RETRY.backoffMs } = USUAL_RETRY } = entry;
    const input = await this.inputOf(entry);
    for (let attempt = 0; ; attempt += 1) {
      const key = `undo ${field.slice(0, MOST_FIELD)}${attempt === 0 ? '' : `~${String(attempt + 1)}`}`;
      // Detached: no cancel reaches it.
      const fault = await faultOf(
        call(skill, input, { key, detach: true, timeoutMs: entry.timeoutMs ?? USUAL_TIMEOUT_MS }),
      );
      if (fault === undefined) return undefined;
      if (attempt >= times || !PASSING.includes(fault.why)) {
        return { why: fault.why, reason: fault.message.slice(0, MOST_REASON) };
      }
      await sleep(backoffMs * 2 ** attempt);
    }
  }

  private async inputOf({ input, child }: UndoEntry): Promise<CallInput> {
    if (input !== undefined || child === undefined) return input ?? '';
    const task = await this.source.child(child);
    return inputOfResult(task && outcomeOf(task));
  }
}

/** Characters of a field in the key of a call. */
const MOST_FIELD = 180;

async function faultOf(called: PromiseLike<unknown>): Promise<CallFailed | undefined> {
  try {
    await called;
    return undefined;
  } catch (error) {
    if (error instanceof CallFailed) return error;
    throw error;
  }
}

/** What the end of a task says whose finished work was undone. */
export function endOf({ state, message }: TaskEnd, { undone, failed }: Compensated): Said {
  const canceled = state === 'TASK_STATE_CANCELED' ? 'The task was canceled.' : '';
  const parts = [
    message === undefined ? canceled : turnContent([message]).text,
    undone.length === 0 ? '' : `Undone: ${undone.join(', ')}.`,
    ...failed.map(({ of, reason }) => `Not undone: ${of}. ${reason}`),
  ];
  const text = parts.filter((part) => part !== '').join(' ');
  return { text: text.slice(0, MOST_TEXT), metadata: { ...message?.metadata, [COMPENSATION]: { undone, failed } } };
}

/** Characters of the message of an end. */
const MOST_TEXT = 8_000;
