import { TestShared } from './doubles/test-shared.js';
import type { Message } from '@parley/protocol/model/message.js';
import { WITHDRAWN } from '../skill/questions/ask.js';
import type { QuestionSpec, StoredAnswer } from '@parley/protocol/extension/questions.js';
import { isSignal, signalOf } from '@parley/protocol/extension/signal.js';
import type { CallOutcome, CallSpec, Undo } from '../skill/calls/call.js';
import { Journal, type JournalMismatch, type JournalResult, type JournalTexts } from '../skill/replay/journal.js';
import type { Publication } from '../skill/publication.js';
import { Replay } from '../skill/replay/replay.js';
import type { OpenWait, ReplayHost } from '../skill/replay/replay-host.js';
import type { SkillEvent } from '../skill/events.js';
import type { Received, WaitOptions } from '../skill/skill.js';
import type { Catalog } from '../skill/start-check.js';
import type { Transferred } from '../skill/calls/transfer-path.js';
import { turnContent } from '../skill/content/turn-content.js';

/** A message that comes while the skill runs or waits. */
export interface ComingMessage {
  readonly message: Message;
  /** When it comes, ms after the start of the turn. */
  readonly atMs: number;
}

/** How long a wait for a message takes at most, as in the service. */
const LONGEST_ANSWER_MS = 30 * 86_400_000;

/** Answers the questions of a skill under test; undefined where none come. */
export type Answers = (question: QuestionSpec) => StoredAnswer | undefined;

/** End of a wait: a message, an answer, or its time. */
interface End {
  readonly wait: OpenWait;
  readonly message?: Message;
  readonly answer?: StoredAnswer;
}

/** The time of a turn, which passes only while its skill waits, and the messages meanwhile. */
export class TurnTime {
  private passedMs = 0;
  private readonly read = new Set<Message>();

  constructor(
    private readonly startMs: number,
    private readonly coming: readonly ComingMessage[],
    private readonly answers: Answers = () => undefined,
  ) {}

  /** Ms since 1970. */
  get now(): number {
    return this.startMs + this.passedMs;
  }

  /** Advances to the first event that ends a wait; gives the wait and that event beside its time. Answers come at once. */
  next(waits: readonly OpenWait[]): End | undefined {
    for (const wait of waits) {
      const answer = wait.question && this.answers(wait.question);
      if (answer !== undefined) return { wait, answer: { ...answer, at: answer.at === 0 ? this.now : answer.at } };
    }
    const ends = waits.map((wait) => ({ wait, ...this.endOf(wait) })).sort((a, b) => a.atMs - b.atMs);
    const [first] = ends;
    if (first === undefined) return undefined;
    this.passedMs = Math.max(this.passedMs, first.atMs - this.startMs);
    if (first.message === undefined) return { wait: first.wait };
    this.read.add(first.message);
    return { wait: first.wait, message: first.message };
  }

  private endOf({ until, signal }: OpenWait): { readonly atMs: number; readonly message?: Message } {
    const isFor = (message: Message): boolean =>
      signal === '*' || (signal !== undefined && signalOf(message) === signal);
    const found = this.coming.find(({ message }) => !this.read.has(message) && isFor(message));
    const atMs = this.startMs + (found?.atMs ?? Infinity);
    return found === undefined || atMs > until ? { atMs: until } : { atMs, message: found.message };
  }
}

/** Waits of a skill under test: time passes at once, and each wait ends the run as a parked task does in the service. */
export class WaitingRun implements ReplayHost {
  readonly replay: Replay;
  /** Resolves with the journal to continue from when the skill waits. Rejects with a `JournalMismatch`. */
  readonly parked: Promise<Journal>;
  private hasCrashed = false;
  private park: (journal: Journal) => void = () => undefined;
  private fail: (error: Error) => void = () => undefined;

  constructor(
    private readonly time: TurnTime,
    journal: Journal,
    /** Whether the run ends when the skill waits; else time passes and it continues. */
    private readonly isRepeated: boolean,
    /** The number of results after which the run is lost; undefined: never. */
    crashAfter?: number,
  ) {
    const lost = (): void => {
      this.replay.close();
      this.hasCrashed = true;
      const { texts } = this.replay.journal;
      // The lost run goes no further than its next call, which gets no answer.
      setImmediate(() => this.park(new Journal(texts)));
    };
    this.replay = new Replay(
      this,
      crashAfter === undefined ? journal : new LosingJournal(journal.texts, crashAfter, lost),
    );
    this.parked = new Promise((resolve, reject) => {
      this.park = resolve;
      this.fail = reject;
    });
    this.parked.catch(() => undefined);
    if (!isRepeated) void this.replay.beforePull();
  }

  /** Whether the run is lost: its later effects are not stored. */
  get isLost(): boolean {
    return this.hasCrashed;
  }

  async sleep(ms: number): Promise<void> {
    if (!(ms >= 0)) throw new RangeError('A wait must be 0 ms or longer');
    await this.replay.wait({ what: `sleep ${String(ms)}`, until: this.time.now + ms }, () => undefined);
  }

  async waitFor({ signal = '*', timeoutMs = LONGEST_ANSWER_MS }: WaitOptions = {}): Promise<Received | undefined> {
    if (signal !== '*' && !isSignal(signal)) throw new RangeError(`"${signal}" is no name of a signal`);
    const until = this.time.now + timeoutMs;
    const what = `waitFor ${signal} ${String(timeoutMs)}`;
    const recall = (json: string | undefined): Received | undefined =>
      json === undefined ? undefined : received(JSON.parse(json) as Message);
    return (await this.replay.wait({ what, until, signal }, recall)) as Received | undefined;
  }

  async ask(question: QuestionSpec, over?: Promise<unknown>): Promise<StoredAnswer | typeof WITHDRAWN | undefined> {
    const until = this.time.now + (question.timeoutMs ?? LONGEST_ANSWER_MS);
    const recall = (json: string | undefined): StoredAnswer | typeof WITHDRAWN | undefined =>
      json === undefined ? undefined : (JSON.parse(json) as StoredAnswer | typeof WITHDRAWN);
    const what = `ask ${JSON.stringify(question)}`;
    const takeBack = (call: number) => (): void =>
      this.replay.give(call, { json: JSON.stringify(WITHDRAWN), value: WITHDRAWN });
    const begin = (call: number): void => void over?.then(takeBack(call), takeBack(call));
    return (await this.replay.wait({ what, until, question, begin }, recall)) as
      StoredAnswer | typeof WITHDRAWN | undefined;
  }

  async now(): Promise<number> {
    return (await this.replay.instant('now', () => this.time.now)) as number;
  }

  async random(): Promise<number> {
    return (await this.replay.instant('random', Math.random)) as number;
  }

  opened(): void {
    // Time passes when nothing else happens.
  }

  /** As in the service: the wait ends, and the skill begins from its start, with the record. */
  idle(): void {
    const ended = this.nextEnd();
    if (ended === undefined) return;
    const { wait, message, answer } = ended;
    const { journal } = this.replay;
    if (!this.isRepeated) {
      this.replay.give(wait.number, { value: message === undefined ? answer : received(message) });
      return;
    }
    this.replay.close();
    const got = message ?? answer;
    const json = got === undefined ? {} : { json: JSON.stringify(got) };
    journal.addResult({ call: wait.number, pulls: this.replay.pullCount, ...json });
    this.park(new Journal(journal.texts));
  }

  private nextEnd(): End | undefined {
    try {
      return this.time.next(this.replay.openWaits);
    } catch (error) {
      this.fail(error instanceof Error ? error : new Error(String(error)));
      return undefined;
    }
  }

  broke(error: JournalMismatch): void {
    this.fail(error);
  }
}

function received(message: Message): Received {
  return { message, ...turnContent([message]) };
}

/** The journal of a run that is lost as soon as it has this many results: no call after them is made. */
class LosingJournal extends Journal {
  constructor(
    texts: JournalTexts,
    private readonly crashAfter: number,
    private readonly onCrash: () => void,
  ) {
    super(texts);
  }

  override addResult(result: JournalResult): void {
    super.addResult(result);
    if (this.lengths.results === this.crashAfter) this.onCrash();
  }
}

/** When runs of a turn are lost: after this many results of its journal, or after each new one. */
export type CrashAfter = number | 'each';

/** A call that a skill under test has made. */
export interface MadeCall extends CallSpec {
  readonly outcome: CallOutcome;
}

/** Compensation of finished work. */
export interface TestUndo {
  /** Numbers of the call, and of its position in a fan-out: the newest is undone first. */
  readonly at: readonly [call: number, place: number];
  /** The name of the step, or the key of the call. */
  readonly of: string;
  readonly undo: Undo;
  /** Of a call: its outcome. */
  readonly outcome?: CallOutcome;
}

/** Where the children of a turn under test come from. */
export interface TestChildren {
  readonly child: (call: CallSpec) => Promise<CallOutcome>;
  readonly transfers: readonly Transferred[] | undefined;
  /** The values that it shares with the turn. */
  readonly shared: Map<string, unknown>;
  /** Values that its calls may pass on. */
  readonly history: readonly Message[];
  /** The skills that the turn may call. */
  readonly catalog: Catalog;
}

/** A turn under test: one run, or as many as its skill waits or crashes. */
export class TestTurn {
  /** Calls that have been answered, by their keys: a repeated run finds its children. */
  readonly children = new Map<string, Promise<CallOutcome>>();
  readonly made: MadeCall[] = [];
  /** Compensations of finished work, in the order in which it was done. */
  readonly undos: TestUndo[] = [];
  /** Published events: each once, however often the skill was run. */
  readonly published: Publication[] = [];
  /** The hand-overs of the conversation that led to it, its own skill included. */
  transfers: readonly Transferred[] | undefined;
  readonly shared: TestShared;
  private current: WaitingRun;
  private readonly pieces: SkillEvent[] = [];
  private begun = 0;

  constructor(
    private readonly time: TurnTime,
    private readonly crashAfter: CrashAfter | undefined,
    private readonly tree: TestChildren,
  ) {
    this.transfers = tree.transfers;
    this.current = new WaitingRun(time, new Journal(), false);
    this.shared = new TestShared(tree.shared, this.current.replay);
  }

  get catalog(): Catalog {
    return this.tree.catalog;
  }

  /** Takes a piece of an artifact that the skill does not yield. */
  live(event: SkillEvent): void {
    this.pieces.push(event);
  }

  /** The pieces since the last event, for the stream. */
  streamed(): readonly SkillEvent[] {
    return this.pieces.splice(0);
  }

  publish(publication: Publication, number: number): void {
    if (number > this.published.length) this.published.push(publication);
  }

  /** History of the turn that a child gets. */
  passedOn({ history: wanted }: CallSpec): readonly Message[] {
    const { history } = this.tree;
    if (wanted === undefined) return [];
    return wanted === 'last' ? history.slice(-1) : history;
  }

  get run(): WaitingRun {
    return this.current;
  }

  /** Makes a call of the service: one that takes work back. */
  child(call: CallSpec): Promise<CallOutcome> {
    return this.tree.child(call);
  }

  /** How many runs there were. */
  get runs(): number {
    return this.begun;
  }

  /** Begins a run that continues from the record. */
  begin(journal: Journal): WaitingRun {
    this.begun += 1;
    const crashAfter = this.crashAfter === 'each' ? journal.lengths.results + 1 : this.crashAfter;
    this.current = new WaitingRun(this.time, journal, true, crashAfter);
    this.shared.begin(this.current.replay);
    return this.current;
  }
}
