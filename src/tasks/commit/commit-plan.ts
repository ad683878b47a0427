import { isTerminal, type TaskState, TRANSITIONS } from '@parley/protocol/model/task-state.js';
import { type JsonObject, wellFormedJson } from '@parley/protocol/model/json.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { RunProgress } from './run-progress.js';
import { statusEventHead, statusEventTail, statusText, type StatusText } from '../record/task-json.js';

/** The content of a commit. */
export type TaskWrite =
  | {
      readonly kind: 'status';
      readonly state: TaskState;
      readonly message?: Message;
      readonly metadata?: JsonObject;
      /** Written by the service and not by the skill, which does not yield it again. */
      readonly isOfService?: true;
    }
  /** Stored progress of a child: JSON of the event. It changes only the log, and the skill does not yield it. */
  | { readonly kind: 'note'; readonly event: string }
  /**
   * An event published by the skill, in stored form, with its number in the turn. Stored with an event of the task, or
   * its park.
   */
  | { readonly kind: 'publication'; readonly number: number; readonly text: string }
  | {
      readonly kind: 'artifact';
      readonly artifactId: string;
      /** The artifact's members except its parts. */
      readonly described: JsonObject;
      readonly parts: readonly unknown[];
      readonly append: boolean;
      readonly lastChunk: boolean;
      /** Not yielded by the skill: a piece of an answer as it comes. */
      readonly isOfService?: true;
    };

/** The step of a run after a commit; `end?` yields to messages that arrived meanwhile (lua/commit/commit.lua). */
export type Sequel = 'go' | 'ask' | 'next' | 'end' | 'end?';

/** A change of a list: append, restart, or a new head. */
export interface ListChange {
  readonly how: 'A' | 'N' | 'S';
  readonly list: 'history' | 'states' | { readonly artifact: number };
  readonly value: string;
}

/** The writes of a commit, computed from the run's knowledge of the task. */
export interface CommitPlan {
  readonly next: RunProgress;
  readonly sequel: Sequel;
  /** JSON of each event. */
  readonly events: readonly string[];
  readonly lists: readonly ListChange[];
  /** The status afterwards; undefined if it does not change. */
  readonly status: StatusText | undefined;
  /** Artifacts as one text, if they need no lists. */
  readonly artifacts: string | undefined;
  /** The published events and the number of the last one; 0 for none. */
  readonly published: { readonly last: number; readonly texts: readonly string[] };
  /** Number of events that are progress of children. */
  readonly notes: number;
  /** Stored bytes: events, artifacts and messages once more, and published events. */
  readonly bytes: number;
}

/** The run's members for its events. */
export interface PlannedRun {
  readonly taskId: string;
  readonly contextId: string;
  readonly nonce: string;
}

interface Artifact {
  readonly number: number;
  head: string;
  readonly parts: string[];
}

/**
 * Computes a commit: the rules are here, and the scripts only write. Throws a RangeError for a transition that the
 * state machine forbids, or for a chunk of a missing artifact.
 */
export class CommitPlanner {
  private readonly events: string[] = [];
  private readonly lists: ListChange[] = [];
  private readonly begun = new Map<string, Artifact>();
  private readonly names: string[];
  private state: TaskState;
  private status: StatusText | undefined;
  private message: string;
  private sequel: Sequel = 'go';
  private published = { last: 0, texts: [] as string[] };
  private bytes = 0;
  private ofService = 0;
  private notes = 0;

  /**
   * @param ms time of the statuses
   * @param hasMessages whether messages for the next turn have arrived, so that a successful turn does not end the task
   */
  constructor(
    private readonly run: PlannedRun,
    private readonly progress: RunProgress,
    private readonly ms: number,
    private readonly hasMessages: boolean,
  ) {
    this.names = [...progress.artifacts];
    this.state = progress.state;
    this.message = progress.message;
  }

  plan(writes: readonly TaskWrite[]): CommitPlan {
    for (const write of writes) {
      if (this.sequel !== 'go') throw illegal(this.state);
      if (write.kind === 'artifact') this.artifact(write);
      else if (write.kind === 'note') this.note(write.event);
      else if (write.kind === 'publication') this.publish(write);
      else this.enter(write);
    }
    const { progress, state, sequel, events, lists, status, bytes } = this;
    const isLast = progress.isFresh && sequel.startsWith('end') && lists.every(isOfTheEnd);
    const isNext = sequel === 'next';
    return {
      next: {
        state,
        seq: progress.seq + events.length,
        last: events.length === 0 ? progress.last : this.run.nonce,
        turn: isNext ? progress.turn + 1 : progress.turn,
        attempt: isNext ? 0 : progress.attempt,
        ms: status?.ms ?? progress.ms,
        message: this.message,
        artifacts: this.names,
        upto: progress.upto,
        bytes: progress.bytes + bytes,
        base: progress.base + this.ofService,
        isFresh: false,
        hasEnded: sequel !== 'go',
      },
      sequel,
      events,
      lists,
      status,
      published: this.published,
      notes: this.notes,
      artifacts: isLast ? [...this.begun.values()].map(artifactJson).join(',') : undefined,
      bytes,
    };
  }

  private enter(write: Extract<TaskWrite, { kind: 'status' }>): void {
    if (!TRANSITIONS[this.state].includes(write.state)) throw illegal(this.state);
    this.sequel = sequelOf(write.state);
    if (write.isOfService === true) this.ofService += 1;
    // The last status of a turn that yields is an ordinary event of a working task.
    const givesWay = this.sequel === 'end?' && this.hasMessages;
    if (givesWay) this.sequel = 'next';
    const state = givesWay ? 'TASK_STATE_WORKING' : write.state;
    if (this.message !== '') this.lists.push({ how: 'A', list: 'history', value: this.message });
    const status = statusText(state, this.ms, write.message);
    if (state !== this.state) this.lists.push({ how: 'A', list: 'states', value: `${state} ${status.ms}` });
    this.state = state;
    this.status = status;
    this.message = status.message;
    this.bytes += Buffer.byteLength(status.message);
    const { taskId, contextId } = this.run;
    this.add(statusEventHead(taskId, contextId) + statusEventTail(status, write.metadata));
  }

  private publish({ number, text }: Extract<TaskWrite, { kind: 'publication' }>): void {
    this.published.last = number;
    this.published.texts.push(text);
    this.bytes += Buffer.byteLength(text);
  }

  private note(event: string): void {
    this.ofService += 1;
    this.notes += 1;
    this.add(event);
  }

  /**
   * An artifact is a list: its head, then its parts chunk by chunk. The cost of a chunk does not depend on earlier
   * ones.
   */
  private artifact(write: Extract<TaskWrite, { kind: 'artifact' }>): void {
    const { taskId, contextId } = this.run;
    if (write.isOfService === true) this.ofService += 1;
    const described = wellFormedJson({ artifactId: write.artifactId, ...write.described }).slice(0, -1);
    const parts = wellFormedJson(write.parts).slice(1, -1);
    const head = `${described},"parts":[`;
    const flags = (write.append ? ',"append":true' : '') + (write.lastChunk ? ',"lastChunk":true' : '');
    const ids = `"taskId":${JSON.stringify(taskId)},"contextId":${JSON.stringify(contextId)}`;
    this.put(write, head, parts);
    this.add(`{"artifactUpdate":{${ids},"artifact":${head}${parts}]}${flags}}}`);
    this.bytes += Buffer.byteLength(head) + Buffer.byteLength(parts);
  }

  private put({ artifactId, append }: { artifactId: string; append: boolean }, head: string, parts: string): void {
    const known = this.names.indexOf(artifactId);
    if (append && known === -1) throw new RangeError(`No artifact ${artifactId} to append to`);
    const number = known === -1 ? this.names.push(artifactId) : known + 1;
    const list = { artifact: number };
    const begun = this.begun.get(artifactId);
    if (append && begun !== undefined) {
      begun.head = head;
      begun.parts.push(parts);
    } else if (!append) {
      this.begun.set(artifactId, { number, head, parts: [parts] });
    }
    const first = { how: append ? 'S' : 'N', list, value: head } as const;
    this.lists.push(first, { how: 'A', list, value: parts });
  }

  private add(event: string): void {
    this.events.push(event);
    this.bytes += Buffer.byteLength(event);
  }
}

function sequelOf(state: TaskState): Sequel {
  if (state === 'TASK_STATE_WORKING') return 'go';
  if (!isTerminal(state)) return 'ask';
  return state === 'TASK_STATE_COMPLETED' ? 'end?' : 'end';
}

/** Whether a task that ends with its only commit can omit a change: its events contain its states. */
function isOfTheEnd({ list }: ListChange): boolean {
  return list !== 'history';
}

function artifactJson({ head, parts }: Artifact): string {
  return `${head}${parts.join(',')}]}`;
}

function illegal(state: TaskState): RangeError {
  return new RangeError(`A task in ${state} cannot take this event`);
}
