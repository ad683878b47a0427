import type { Task } from '@parley/protocol/model/task.js';
import { CallFailed, type CallFault, type CallInput } from '@parley/sdk/skill/calls/call.js';
import { type SkillEvent, working } from '@parley/sdk/skill/events.js';
import type { SkillContext, SkillHandler } from '@parley/sdk/skill/skill.js';
import { turnContent } from '@parley/sdk/skill/content/turn-content.js';
import { inputOfResult } from '@parley/sdk/skill/calls/undo-input.js';
import type { TaskEnd } from '../tasks/commit/claimed-run.js';
import type { UndoEntry } from '../tasks/record/journal-entries.js';
import type { Said } from '../tasks/store/sweep.store.js';
import { outcomeOf } from '../agents/tree/child-outcome.js';

/** Member of the metadata of a final message: the finished work that was undone, and that which was not. */
export const COMPENSATION = 'urn:parley:extension:compensation:1';

/** Faults after which a retry may succeed. */
const PASSING: readonly CallFault[] = ['failed', 'deadline', 'canceled'];
const DEFAULT_RETRY = { times: 5, backoffMs: 1_000 } as const;
const DEFAULT_TIMEOUT_MS = 900_000;
/** Number of polls for open children of a task that ends. */
const POLLS = 60;
const POLL_MS = 500;
/** Characters of a reason in the end of a task. */
const MAX_REASON = 500;

/** The record of work to undo. It is complete before the first piece is undone, and does not change. */
export interface UndoSource {
  /** The journal fields of compensations, newest first. */
  fields(): Promise<readonly string[]>;
  entry(field: string): Promise<UndoEntry>;
  child(id: string): Promise<Task | undefined>;
  /** Unfinished children of the task, except its compensations. */
  openChildren(): Promise<number>;
}

/** A piece of work that could not be undone. */
export interface NotUndone {
  /** The name of the step, or the key of the call. */
  readonly of: string;
  readonly skill: string;
  readonly why: CallFault;
  readonly reason: string;
}

/** Thrown when all work was undone as far as possible: the task ends. */
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
 * The turn that undoes the finished work of a failed or canceled task, newest first: each piece by a skill that runs as
 * a child. It is an ordinary turn, so a worker that dies in it loses nothing. @throws Compensated at its end
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
    for (let look = 0; look < POLLS; look += 1) {
      if ((await step(`open children ${String(look)}`, () => this.source.openChildren())) === 0) return;
      await sleep(POLL_MS);
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

  /** The reason for not undoing it; undefined when it was undone. */
  private async undo(
    { call, sleep }: SkillContext,
    field: string,
    entry: UndoEntry,
  ): Promise<Pick<NotUndone, 'why' | 'reason'> | undefined> {
    const { skill, retry: { times, backoffMs = DEFAULT_RETRY.backoffMs } = DEFAULT_RETRY } = entry;
    const input = await this.inputOf(entry);
    for (let attempt = 0; ; attempt += 1) {
      const key = `undo ${field.slice(0, MAX_FIELD)}${attempt === 0 ? '' : `~${String(attempt + 1)}`}`;
      // Detached: no cancel reaches it.
      const fault = await faultOf(
        call(skill, input, { key, detach: true, timeoutMs: entry.timeoutMs ?? DEFAULT_TIMEOUT_MS }),
      );
      if (fault === undefined) return undefined;
      if (attempt >= times || !PASSING.includes(fault.why)) {
        return { why: fault.why, reason: fault.message.slice(0, MAX_REASON) };
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
const MAX_FIELD = 180;

async function faultOf(called: PromiseLike<unknown>): Promise<CallFailed | undefined> {
  try {
    await called;
    return undefined;
  } catch (error) {
    if (error instanceof CallFailed) return error;
    throw error;
  }
}

/** The final text of a task whose finished work was undone. */
export function endOf({ state, message }: TaskEnd, { undone, failed }: Compensated): Said {
  const canceled = state === 'TASK_STATE_CANCELED' ? 'The task was canceled.' : '';
  const parts = [
    message === undefined ? canceled : turnContent([message]).text,
    undone.length === 0 ? '' : `Undone: ${undone.join(', ')}.`,
    ...failed.map(({ of, reason }) => `Not undone: ${of}. ${reason}`),
  ];
  const text = parts.filter((part) => part !== '').join(' ');
  return { text: text.slice(0, MAX_TEXT), metadata: { ...message?.metadata, [COMPENSATION]: { undone, failed } } };
}

/** Characters of the message of an end. */
const MAX_TEXT = 8_000;
