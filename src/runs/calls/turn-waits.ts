import { isSignal } from '@parley/protocol/extension/signal.js';
import { HINT } from '../../tasks/commit/wait.js';
import type { ClaimedRun, RunStore, Wait } from '../../tasks/commit/run.store.js';
import type { LocalRuns } from '../local-runs.js';
import { type CallSources, TurnCalls } from './turn-calls.js';
import { activeCarrier } from '../../platform/tracing/trace-carrier.js';
import { TurnQuestions } from '../../agents/questions/turn-questions.js';
import { TurnTree } from '../../agents/tree/turn-tree.js';
import type { QuestionSpec } from '@parley/protocol/extension/questions.js';
import type { QuestionStore } from '../../tasks/questions/question.store.js';
import { Journal, type JournalMismatch } from '@parley/sdk/skill/replay/journal.js';
import { Replay } from '@parley/sdk/skill/replay/replay.js';
import type { OpenWait, ReplayHost } from '@parley/sdk/skill/replay/replay-host.js';
import type { Received, WaitOptions } from '@parley/sdk/skill/skill.js';
import { parked, reportCall, reportQuestion } from './agent-report.js';
import { AwakeParent } from './awake-parent.js';
import { TurnNotes } from './turn-notes.js';
import { duration } from './wait-duration.js';
import type { WaitingTurn } from './waiting-turn.js';
import { TurnHints } from './turn-hints.js';
import { type SendersOf, TurnMessages } from './turn-messages.js';

/** Shorter waits keep their run: parking and waking costs more. */
export const SHORT_WAIT_MS = 50;
/** Longest check interval of a task that waits for children, in case the end of one was lost. */
const BACKSTOP_MS = 3_600_000;
/** The longest delay of a Node timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The dependencies of a turn's waits besides its run. */
export interface WaitSources extends Pick<CallSources, 'trees' | 'skills' | 'policies' | 'wake'> {
  readonly local: LocalRuns;
  readonly sendersOf: SendersOf;
  readonly questions: QuestionStore;
  /** Inactivity after which a skill is considered waiting; 0: two turns of the event loop. */
  readonly idleMs: number;
}

/**
 * The waits of one run. While the skill is active they end by timers of this process; when it can only continue after a
 * wait, the task is parked and the run ends. A later run of the turn replays it from its journal.
 */
export class TurnWaits implements ReplayHost {
  readonly replay: Replay;
  /** The notes for its writes. */
  readonly notes: TurnNotes;
  private made: TurnCalls | undefined;
  private asking: TurnQuestions | undefined;
  private sharing: TurnTree | undefined;
  private readonly messages: TurnMessages;
  private readonly hints: TurnHints;
  private timer: NodeJS.Timeout | undefined;
  private isDeciding = false;
  /** Whether an event arrived meanwhile. */
  private hasMissed = false;
  /** Whether messages, answers or ends of children may have come that the run does not know. */
  private hasNews = false;
  private readonly awake: AwakeParent;
  private isClosed = false;

  constructor(
    private readonly run: ClaimedRun,
    private readonly store: RunStore,
    private readonly sources: WaitSources,
    private readonly turn: WaitingTurn,
  ) {
    this.replay = new Replay(this, new Journal(run.repeats?.record), sources.idleMs);
    const { sendersOf } = sources;
    this.messages = new TurnMessages({ run, replay: this.replay, notebook: store.notebook, sendersOf });
    this.hints = new TurnHints({ run, replay: this.replay, notebook: store.notebook });
    const { journal } = this.replay;
    this.notes = new TurnNotes({ run, journal, notebook: store.notebook, read: () => this.messages.read, turn });
    this.awake = new AwakeParent(run, sources.local, this.onTime);
  }

  /** Created on first access: most skills call no other. */
  get calls(): TurnCalls {
    const { replay, run, sources, turn } = this;
    const unsavedWithHead = () => this.notes.unsavedForPark();
    const shared = { of: () => this.tree.shared, settled: () => this.sharing?.settled };
    this.made ??= new TurnCalls(
      { ...sources, run, span: activeCarrier, now: () => this.store.now(), called: (call) => reportCall(run, call) },
      { ...turn, replay, unsavedWithHead, shared },
    );
    return this.made;
  }

  /** Created on first access: most skills share nothing. */
  get tree(): TurnTree {
    const { run, replay, store, sources } = this;
    this.sharing ??= new TurnTree({ run, replay, notebook: store.notebook, ...sources }, () => this.notes.unsaved());
    return this.sharing;
  }

  /** Created on first access: most skills ask nothing. */
  get questions(): TurnQuestions {
    const turn = { ...this.turn, answered: this.reportAs('answered') };
    this.asking ??= new TurnQuestions(this.run, this.replay, this.sources.questions, turn);
    return this.asking;
  }

  /** Resolves when the skill's calls are stored; undefined when there are none to store. */
  get spawning(): Promise<void> | undefined {
    return this.made?.spawning;
  }

  /** Whether the task shows or may show questions of this run. */
  get hasAsked(): boolean {
    return this.asking?.isAsking === true;
  }

  /** Whether the run is about to be parked, which then commits its events too. */
  get mayPark(): boolean {
    return this.replay.isIdle && this.earliest() - this.store.now() > SHORT_WAIT_MS;
  }

  /** The clock of Redis, ms since 1970. */
  get clock(): number {
    return this.store.now();
  }

  async sleep(ms: number): Promise<void> {
    await this.replay.wait({ what: `sleep ${String(ms)}`, until: this.store.now() + duration(ms) }, () => undefined);
  }

  async waitFor({ signal = '*', timeoutMs }: WaitOptions = {}): Promise<Received | undefined> {
    if (signal !== '*' && !isSignal(signal)) throw new RangeError(`"${signal}" is no name of a signal`);
    const until = this.store.now() + duration(timeoutMs ?? this.store.longestAnswerMs);
    const what = `waitFor ${signal} ${String(timeoutMs ?? 'an answer')}`;
    return (await this.replay.wait({ what, until, signal }, (json) => this.messages.recall(json))) as
      Received | undefined;
  }

  /** Waits for a hint; false on a timeout. */
  async waitForHint(ms: number): Promise<boolean> {
    const until = this.store.now() + duration(ms);
    const what = `hint ${String(ms)}`;
    return (await this.replay.wait({ what, until, signal: HINT }, (json) => this.hints.recall(json))) === true;
  }

  /** Asks a question; undefined on a timeout. @param over withdraws it when it is fulfilled */
  ask(question: QuestionSpec, over?: Promise<unknown>): ReturnType<TurnQuestions['ask']> {
    const until = this.store.now() + duration(question.timeoutMs ?? this.store.longestAnswerMs);
    return this.questions.ask(question, until, over);
  }

  async now(): Promise<number> {
    return (await this.replay.instant('now', () => Math.floor(this.store.now()))) as number;
  }

  async random(): Promise<number> {
    return (await this.replay.instant('random', Math.random)) as number;
  }

  opened(): void {
    this.arm();
  }

  /** Reports that messages may have arrived for this task. */
  readonly heard = (): void => {
    if (!this.isListening && !this.isCalling && !this.hasAsked) return;
    this.hasNews = true;
    this.decide(() => this.advance());
  };

  idle(): void {
    this.decide(() => this.goOn());
  }

  broke(error: JournalMismatch): void {
    this.turn.failed(error);
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.awake.leave();
    this.made?.close();
    this.notes.close();
    this.replay.close();
  }

  private get isCalling(): boolean {
    return this.replay.openWaits.some(({ isForChildren }) => isForChildren);
  }

  private get isListening(): boolean {
    return this.replay.openWaits.some(({ signal }) => signal !== undefined && signal !== HINT);
  }

  private decide(work: () => Promise<unknown>): void {
    this.hasMissed = this.isDeciding;
    if (this.isDeciding || this.isClosed) return;
    this.isDeciding = true;
    work()
      .catch((error: unknown) => {
        this.turn.failed(error);
      })
      .finally(() => {
        this.isDeciding = false;
        if (this.hasMissed) this.onTime();
      });
  }

  private async goOn(): Promise<void> {
    if (await this.advance()) return;
    const stays = this.awake.stay(this.replay.openWaits, this.made?.mayEndUntil ?? 0);
    this.arm(stays === 0 ? Infinity : stays);
    if (stays > 0) return;
    if (this.earliest() - this.store.now() <= SHORT_WAIT_MS) {
      this.turn.flush();
      return;
    }
    this.replay.hold();
    const outcome = await parked(this.run, this.wait(), (wait) => this.turn.park(wait));
    if (outcome === 'again') {
      await this.learnAll();
      this.went(this.messages.match() || this.hints.match(), false);
      this.replay.free();
    } else if (outcome !== 'too-large') {
      this.turn.ended(outcome);
    }
  }

  /** Ends the waits that are due, have a message, or whose children have ended. */
  private async advance(): Promise<boolean> {
    const isTold = this.hasNews && (await this.learnAll());
    const isFirst = this.run.repeats !== undefined && !this.messages.hasLearnt;
    const isDue = ({ until }: OpenWait): boolean => until <= this.store.now();
    const isLate = this.replay.openWaits.some((wait) => wait.signal !== undefined && isDue(wait));
    if (this.isListening && (isFirst || isLate)) await this.messages.learn();
    const isMatched = this.messages.match() || this.hints.match();
    const isAnswered = isFirst && this.hasAsked && (await this.questions.learn());
    const due = await this.overdue(isDue);
    for (const { number } of due) this.replay.give(number, {});
    const isOfQuestion = isAnswered || due.some(({ question }) => question);
    return this.went(isMatched || isAnswered || due.length > 0, isOfQuestion) || isTold;
  }

  /** The expired waits, in order. A question may have been answered before it expired. */
  private async overdue(isDue: (wait: OpenWait) => boolean): Promise<readonly OpenWait[]> {
    const ended = this.replay.openWaits.filter(isDue).sort((a, b) => a.until - b.until || a.number - b.number);
    const due = ended.filter(({ isForChildren }) => !isForChildren);
    if (due.length < ended.length) await this.calls.expire(ended.filter(({ isForChildren }) => isForChildren));
    if (due.length === 0 || !this.hasAsked) return due;
    const over = await this.questions.withdraw(due);
    if (over.length < due.length) await this.questions.learn();
    over.forEach(this.reportAs('expired'));
    return over;
  }

  private reportAs(outcome: 'answered' | 'expired'): (wait: OpenWait) => void {
    return (wait) => reportQuestion(this.run, wait, outcome, this.store.longestAnswerMs);
  }

  /** Sets the task to WORKING again when a wait ended, unless it was that of a question that stays open. */
  private went(on: boolean, isOfQuestion = true): boolean {
    if (on && (isOfQuestion || this.asking?.isAsking !== true)) this.turn.resumed();
    return on;
  }

  private wait(): Wait {
    const waits = this.replay.openWaits;
    const signals = [...new Set(waits.flatMap(({ signal }) => (signal === HINT ? [] : (signal ?? []))))];
    const isForChildren = this.isCalling;
    const asks = this.asking?.asks(isForChildren);
    const backstop = isForChildren ? this.store.now() + BACKSTOP_MS : Infinity;
    return {
      ...{ until: Math.min(this.earliest(), backstop), signals, known: this.messages.known },
      ...(this.hints.isWaiting ? { hints: this.hints.known } : {}),
      ...(isForChildren ? { children: { settled: this.calls.settled } } : {}),
      ...(asks === undefined ? {} : { asks }),
    };
  }

  private async learnAll(): Promise<boolean> {
    this.hasNews = false;
    if (this.isListening) await this.messages.learn();
    await this.hints.learn();
    const isSettled = (await this.made?.learn()) === true;
    const isAnswered = (await this.asking?.learn()) === true;
    return this.went(isSettled || isAnswered);
  }

  private earliest(): number {
    return Math.min(...this.replay.openWaits.map(({ until }) => until));
  }

  /** @param most ms */
  private arm(most = Infinity): void {
    clearTimeout(this.timer);
    const delay = Math.min(most, this.earliest() - this.store.now());
    if (!Number.isFinite(delay)) return;
    this.timer = setTimeout(this.onTime, Math.min(Math.max(0, delay), MAX_TIMER_MS));
  }

  private readonly onTime = (): void => {
    this.awake.leave();
    this.decide(async () => {
      if (this.replay.isIdle) return this.goOn();
      await this.advance();
      this.arm();
    });
  };
}
