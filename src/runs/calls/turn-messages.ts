import type { Message } from '@parley/protocol/model/message.js';
import { signalOf } from '@parley/protocol/extension/signal.js';
import type { Replay } from '@parley/sdk/skill/replay/replay.js';
import type { OpenWait } from '@parley/sdk/skill/replay/replay-host.js';
import type { Received, SkillSender } from '@parley/sdk/skill/skill.js';
import { turnContent } from '@parley/sdk/skill/content/turn-content.js';
import type { ClaimedRun, LateMessage, RunStore } from '../../tasks/commit/run.store.js';
import type { MessageSender } from '../../tasks/questions/sender.store.js';

/** The senders of messages, in their order. */
export type SendersOf = (messages: readonly Message[]) => Promise<readonly (MessageSender | undefined)[]>;

interface KnownMessage extends LateMessage {
  readonly sender: SkillSender | undefined;
}

/** The result of a wait for a message, in the journal. */
interface StoredMessage {
  readonly place: number;
  readonly sender?: SkillSender | undefined;
}

interface MessageSources {
  readonly run: ClaimedRun;
  readonly replay: Replay;
  readonly notebook: Pick<RunStore['notebook'], 'lateMessages'>;
  readonly sendersOf: SendersOf;
}

/** The messages that arrived during a run's turn, for the waits of its skill. */
export class TurnMessages {
  private list: KnownMessage[] = [];
  private isLearnt = false;
  private readonly taken = new Set<number>();

  constructor(private readonly sources: MessageSources) {}

  /** Indexes of the messages consumed by the turn: they begin no further turn. */
  get read(): readonly number[] {
    return [...this.taken];
  }

  /** Messages known to the run. */
  get known(): number {
    return this.list.length;
  }

  get hasLearnt(): boolean {
    return this.isLearnt;
  }

  async learn(): Promise<void> {
    const { run, notebook, sendersOf } = this.sources;
    const given = this.isLearnt ? undefined : run.repeats?.late;
    const late = given ?? (await notebook.lateMessages(run));
    const unknown = late.slice(this.list.length);
    const senders = unknown.length === 0 ? [] : await sendersOf(unknown.map(({ message }) => message));
    this.list = [...this.list, ...unknown.map((one, at) => ({ ...one, sender: senders[at] }))];
    this.isLearnt = true;
  }

  /** Assigns messages to waits, both in order. Returns whether there was any. */
  match(): boolean {
    const { replay } = this.sources;
    let isAny = false;
    for (const { index, message, sender } of this.list) {
      if (this.taken.has(index)) continue;
      const signal = signalOf(message);
      const isFor = (open: OpenWait): boolean => open.signal === '*' || (signal !== '' && open.signal === signal);
      const wait = replay.openWaits.find(isFor);
      if (wait === undefined) continue;
      isAny = true;
      this.taken.add(index);
      const stored: StoredMessage = { place: index, ...(sender === undefined ? {} : { sender }) };
      replay.give(wait.number, { json: JSON.stringify(stored), value: received(message, sender) });
    }
    return isAny;
  }

  /** The message recorded in the journal as the result of a wait. */
  recall(json: string | undefined): Received | undefined {
    if (json === undefined) return undefined;
    const { place, sender } = JSON.parse(json) as StoredMessage;
    this.taken.add(place);
    const late = this.sources.run.repeats?.late.find((one) => one.index === place);
    return late === undefined ? undefined : received(late.message, sender);
  }
}

function received(message: Message, sender: SkillSender | undefined): Received {
  return { message, ...turnContent([message]), ...(sender === undefined ? {} : { sender }) };
}
