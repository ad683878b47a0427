/** What was given up: one event, or a webhook from one event on. */
export interface DeadLetter {
  /** `<task id> <config id> <seq>`. */
  readonly name: string;
  readonly taskId: string;
  readonly configId: string;
  readonly seq: number;
  /** `event`: the webhook went on with the next. `webhook`: it was stopped, and this event and all later ones wait. */
  readonly scope: 'event' | 'webhook';
  readonly tenant: string;
  /** Scheme, host and port of the receiver. */
  readonly origin: string;
  readonly reason: string;
  /** Failed attempts of the event. */
  readonly attempts: number;
  /** When it was given up, ISO 8601. */
  readonly at: string;
}

export function deadLetterName(taskId: string, configId: string, seq: number): string {
  return `${taskId} ${configId} ${String(seq)}`;
}
