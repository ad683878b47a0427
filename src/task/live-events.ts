import { Injectable } from '@nestjs/common';
import type { LoggedEvent } from './event-log.js';

export type EventsListener = (taskId: string, events: readonly LoggedEvent[]) => void;

/** Committed events of this process's runs, for subscribers in the same process, without a round trip through Redis. */
@Injectable()
export class LiveEvents {
  private listener: EventsListener = () => undefined;

  /** @param listener the one that brings events to readers */
  listen(listener: EventsListener): void {
    this.listener = listener;
  }

  tell(taskId: string, events: readonly LoggedEvent[]): void {
    this.listener(taskId, events);
  }
}
