/** A CloudEvent 1.0 in its JSON form: something that a task has announced. */
export interface CloudEvent {
  readonly specversion: '1.0';
  /** `<task>:<turn>.<number>`: the same for every run of the turn. */
  readonly id: string;
  /** `/tasks/<task>`. */
  readonly source: string;
  readonly type: string;
  readonly subject?: string;
  /** ISO 8601. */
  readonly time: string;
  readonly datacontenttype: 'application/json';
  readonly data?: unknown;
}

/** The extension under which the message of a subscriber has its CloudEvent, but for the data. */
export const EVENT_EXTENSION = 'urn:parley:extension:event:1';
