import { randomUUID } from 'node:crypto';
import type { OpenQuestion, QuestionSpec, StoredAnswer } from '@parley/protocol/extension/questions.js';
import { isInterrupted } from '@parley/protocol/model/task-state.js';
import type { OpenWait } from '@parley/sdk/skill/replay/replay-host.js';
import { WITHDRAWN } from '@parley/sdk/skill/questions/ask.js';
import type { Replay } from '@parley/sdk/skill/replay/replay.js';
import type { Asks } from '../../tasks/commit/wait.js';
import { answerField, questionId } from '../../tasks/record/open-question.js';
import type { QuestionStore } from '../../tasks/questions/question.store.js';
import type { ClaimedRun } from '../../tasks/commit/run.store.js';
import { digestOf } from '../../tasks/task.keys.js';
import { questionsMessage, stateOfQuestions } from './questions-message.js';

/** Open questions of one task. */
const MAX_OPEN = 100;

/** A wait that an answer ends. */
type Asking = OpenWait & { readonly question: QuestionSpec };

/** The actions of a turn on its questions. */
export interface AskingTurn {
  /** A question of this run has its answer. */
  readonly answered: (wait: OpenWait) => void;
  /** A wait has ended: the task is WORKING again. */
  readonly resumed: () => void;
  readonly failed: (error: unknown) => void;
}

/** The questions of one run: their presentation by its task, and their answers. */
export class TurnQuestions {
  private answered: number;
  private asked: readonly OpenQuestion[];
  private hasLearnt = false;
  private readonly given = new Map<number, string>();

  constructor(
    private readonly run: ClaimedRun,
    private readonly replay: Replay,
    private readonly store: QuestionStore,
    private readonly turn: AskingTurn,
  ) {
    this.answered = run.asked.answered;
    this.asked = run.asked.open;
    for (const [call, text] of run.repeats?.record.answers ?? []) this.given.set(call, text);
  }

  /**
   * Resolves with the answer; undefined on a timeout.
   * @param until deadline, ms by Redis' clock
   * @param over withdraws the question when it is fulfilled
   */
  async ask(
    question: QuestionSpec,
    until: number,
    over?: Promise<unknown>,
  ): Promise<StoredAnswer | typeof WITHDRAWN | undefined> {
    if (this.open.length >= MAX_OPEN) throw new RangeError(`A task has at most ${String(MAX_OPEN)} open questions`);
    const what = `ask ${digestOf(JSON.stringify(question)).slice(0, 16)}`;
    const recall = (json: string | undefined): StoredAnswer | typeof WITHDRAWN | undefined => {
      const call = json === undefined ? undefined : (JSON.parse(json) as number | typeof WITHDRAWN);
      if (call === undefined || call === WITHDRAWN) return call;
      return storedAnswer(this.given.get(call));
    };
    const takeBack = (call: number) => (): void => this.replay.during(this.takenBack(call));
    const begin = (call: number): void => void over?.then(takeBack(call), takeBack(call));
    return (await this.replay.wait({ what, until, question, begin }, recall)) as
      StoredAnswer | typeof WITHDRAWN | undefined;
  }

  /** The waits for answers. */
  private get open(): readonly Asking[] {
    return this.replay.openWaits.filter(isAsking);
  }

  get isAsking(): boolean {
    return this.open.length > 0;
  }

  /** Reads new answers. Returns whether there are any for this run. */
  async learn(): Promise<boolean> {
    const { open } = this;
    if (open.length === 0) return false;
    // The run started with the earlier answers.
    if (this.hasLearnt) await this.read(open);
    this.hasLearnt = true;
    let isAny = false;
    for (const wait of open) {
      const { number } = wait;
      const answer = storedAnswer(this.given.get(number + 1));
      if (answer === undefined) continue;
      isAny = true;
      this.turn.answered(wait);
      this.replay.give(number, { value: answer, json: JSON.stringify(number + 1) });
    }
    return isAny;
  }

  private async read(open: readonly Asking[]): Promise<void> {
    const fields = open.map(({ number }) => answerField(this.idOf(number)) ?? '');
    const { count, open: asked, texts } = await this.store.answers(this.run.taskId, fields);
    open.forEach(({ number }, at) => {
      const text = texts[at];
      if (typeof text === 'string') this.given.set(number + 1, text);
    });
    this.answered = count;
    this.asked = asked;
  }

  /** Withdraws the expired questions that may end so. The others have been answered meanwhile. */
  async withdraw(due: readonly OpenWait[]): Promise<readonly OpenWait[]> {
    const late = due.filter(isAsking);
    if (late.length === 0) return due;
    for (;;) {
      await this.read(this.open);
      const left = due.filter(({ number }) => !this.given.has(number + 1));
      const ids = new Set(left.map(({ number }) => this.idOf(number)));
      const text = await this.store.textOf(this.run.taskId);
      const open = text === '' ? [] : (JSON.parse(text) as readonly OpenQuestion[]);
      const kept = open.filter(({ id }) => !ids.has(id));
      const isDone = kept.length === open.length;
      if (isDone || (await this.store.withdraw(this.root, { taskId: this.run.taskId, text }, kept))) return left;
    }
  }

  /** Ends the wait for an answer that is no longer needed, by an answer if there is one. Never rejects. */
  private async takenBack(call: number): Promise<void> {
    const wait = this.open.find(({ number }) => number === call);
    if (wait === undefined) return;
    try {
      const [left] = await this.withdraw([wait]);
      if (left === undefined) await this.learn();
      else this.replay.give(call, { json: JSON.stringify(WITHDRAWN), value: WITHDRAWN });
      this.turn.resumed();
    } catch (error) {
      this.turn.failed(error);
    }
  }

  /**
   * The questions in the parked task's record; undefined without any. @param isForChildren whether it waits for
   * children too
   */
  asks(isForChildren: boolean): Asks | undefined {
    const { open, run, answered } = this;
    if (open.length === 0) return undefined;
    const questions = open.map((wait) => this.questionOf(wait));
    const known = new Set(run.asked.open.map(({ id }) => id));
    const isSaid =
      isInterrupted(run.log.current.state) &&
      questions.every(({ id }) => known.has(id)) &&
      known.size === questions.length;
    // While other tasks of the tree continue, the root shows questions later.
    const isLater = isForChildren && run.traits.tree === undefined;
    if (isSaid || isLater) return { open: questions, answered };
    const { taskId, contextId } = run;
    const message = questionsMessage({ taskId, contextId }, questions, randomUUID());
    const status = { kind: 'status', state: stateOfQuestions(questions), message, isOfService: true } as const;
    return { open: questions, answered, status };
  }

  private questionOf({ number, question, until }: Asking): OpenQuestion {
    const { taskId, skillId, path, client, subject } = this.run;
    const { parts, state, schema, approvers } = question;
    const id = this.idOf(number);
    const votes = this.asked.find((one) => one.id === id)?.votes;
    return {
      ...{ id, taskId, skillId, path, how: 'ask', state, parts, until: Math.ceil(until) },
      ...(schema === undefined ? {} : { schema }),
      ...(approvers === undefined ? {} : { approvers }),
      ...(approvers?.fourEyes === true ? { startedBy: { client, ...(subject === '' ? {} : { subject }) } } : {}),
      ...(votes === undefined ? {} : { votes }),
    };
  }

  private idOf(number: number): string {
    return questionId(this.run.taskId, this.run.turn, number + 1);
  }

  private get root(): string {
    return this.run.traits.tree?.root ?? this.run.taskId;
  }
}

function isAsking(wait: OpenWait): wait is Asking {
  return wait.question !== undefined;
}

function storedAnswer(text: string | undefined): StoredAnswer | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as StoredAnswer);
}
