import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Message } from '@parley/protocol/model/message.js';
import type { OpenQuestion } from '@parley/protocol/extension/questions.js';
import { isTerminal } from '@parley/protocol/model/task-state.js';
import { type AskingRoot, type AskingTask, QuestionStore } from '../../tasks/questions/question.store.js';
import type { MessageSender } from '../../tasks/questions/sender.store.js';
import { PARKED } from '../../tasks/record/state-word.js';
import { digestOf } from '../../tasks/task.keys.js';
import { TaskStore } from '../../tasks/store/task.store.js';
import { listedIn, questionsMessage, stateOfQuestions } from './questions-message.js';
import { SharedWork } from './shared-work.js';

/** Delay before a root whose status cannot change yet is checked again. */
const AGAIN_MS = 500;

/** An answer that begins the next turn of its task. */
export interface ForwardedAnswer {
  readonly owner: string;
  readonly message: Message & { readonly taskId: string };
  readonly sender: MessageSender;
}

/**
 * Keeps the status of roots in step with the questions of their trees: INPUT_REQUIRED when no other task of the tree
 * can continue, or some seconds after the first question; WORKING when none is open any longer. Every step is
 * repeatable: the sweep completes the unfinished work of a process.
 */
@Injectable()
export class QuestionBoard {
  /** A refresh reads every question of a tree: many concurrent answers share one. */
  private readonly refreshes = new SharedWork((id) => this.refreshNow(id));

  constructor(
    private readonly store: QuestionStore,
    private readonly tasks: TaskStore,
  ) {}

  /** Roots whose status may have to change, at most `limit` per shard. */
  due(limit: number): Promise<readonly string[]> {
    return this.store.due(limit);
  }

  /** Returns the number of runs put into the fair queues. */
  refresh(id: string): Promise<number> {
    return this.refreshes.run(id);
  }

  private async refreshNow(id: string): Promise<number> {
    const root = await this.store.root(id);
    if (root === undefined || isTerminal(root.word.state)) {
      await this.store.done(id);
      return 0;
    }
    const asking = await this.store.of(id, true);
    const forwarded = await this.forward(id, asking);
    const now = this.store.now();
    const open = asking.flatMap(({ questions }) => questions.filter(({ until }) => until > now));
    if (root.word.nonce !== PARKED) await this.store.later(id, now + AGAIN_MS);
    else if (open.length === 0) await this.hide(root, asking);
    else await this.show(root, asking, open);
    return forwarded;
  }

  /** Answers begin the next turn of tasks whose turn ended with the question. */
  private async forward(root: string, asking: readonly AskingTask[]): Promise<number> {
    const runs = await Promise.all(
      asking.map(async ({ taskId, forward }) => {
        if (forward === '') return 0;
        const { owner, message, sender } = JSON.parse(forward) as ForwardedAnswer;
        const outcome = await this.tasks.resume(owner, message, digestOf(forward), {
          sender,
          judged: { kind: 'none' },
          // The id is one of the root, whose messages are not those of this task. No message id has a line break.
          knownAs: `\n${digestOf(forward)}`,
        });
        await this.store.forwarded(root, taskId);
        return outcome.kind === 'resumed' ? 1 : 0;
      }),
    );
    return runs.reduce<number>((sum, count) => sum + count, 0);
  }

  private async hide(root: AskingRoot, asking: readonly AskingTask[]): Promise<void> {
    await this.store.forget(root.id, asking);
    if (root.isShown) await this.store.show(root, 'TASK_STATE_WORKING', undefined);
    else await this.store.done(root.id);
  }

  private async show(root: AskingRoot, asking: readonly AskingTask[], open: readonly OpenQuestion[]): Promise<void> {
    const { id, contextId } = root;
    const message = questionsMessage({ taskId: id, contextId }, open, randomUUID());
    if (root.isShown && isSame(listedIn(root.message), listedIn(JSON.stringify(message)))) return this.store.done(id);
    const since = Math.min(...asking.flatMap((task) => (task.questions.length > 0 ? [task.since] : [])));
    const at = since + this.store.askAfterMs;
    const now = this.store.now();
    if (now < at && (await this.store.isAnyAble(id))) return this.store.later(id, Math.min(at, now + AGAIN_MS));
    await this.store.show(root, stateOfQuestions(open), message);
  }
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((id) => others.includes(id));
}
