import { Json } from '@parley/protocol/model/json.js';
import { Injectable } from '@nestjs/common';
import type { LoggedEvent } from './event-log.js';

/** Represents a change of a task without an event. */
const CHANGED = { seq: 0, nonce: '-', event: Json.ofText<never>('null') };

/** @param events created on request */
export type EventsListener = (taskId: string, events: () => readonly LoggedEvent[]) => void;

/** Committed events of this process's runs, for subscribers in the same process, without a round trip through Redis. */
@Injectable()
export class LiveEvents {
  private listener: EventsListener = () => undefined;
  private leaver: (taskId: string) => void = () => undefined;

  /** @param listener passes events on to readers */
  listen(listener: EventsListener): void {
    this.listener = listener;
  }

  /**
   * @param listener called when a run of this process releases its task: the next events may come from another process
   */
  listenForLeaves(listener: (taskId: string) => void): void {
    this.leaver = listener;
  }

  leave(taskId: string): void {
    this.leaver(taskId);
  }

  publish(taskId: string, events: () => readonly LoggedEvent[]): void {
    this.listener(taskId, events);
  }

  /** The task has changed without an event: a message arrived during a run, or it has used language models. */
  changed(taskId: string): void {
    this.listener(taskId, () => [CHANGED]);
  }
}
