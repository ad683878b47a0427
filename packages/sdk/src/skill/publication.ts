import { SkillFailure } from './skill-failure.js';
import { assertOutsideSteps } from './step-scope.js';

/** Event that a skill publishes. */
export interface Publication {
  readonly type: string;
  /** JSON of the data; absent without any. */
  readonly data?: string;
  readonly subject?: string;
}

export interface PublishOptions {
  /** Subject of the event, such as the number of an invoice. */
  readonly subject?: string;
}

/** Announces an event to the skills that subscribe to its type (`@Skill({ on })`). */
export type Publish = (type: string, data?: unknown, options?: PublishOptions) => void;

/** Types of events: words with dots between, as `invoice.approved`. */
const TYPE = /^[a-z][\w-]{0,63}(\.[\w-]{1,64}){0,7}$/i;
const MAX_DATA_BYTES = 64 * 1024;
const MAX_SUBJECT = 256;
/** Events that one turn announces. */
const MAX_OF_TURN = 100;

/** A turn announces more than it may. */
export class TooManyEvents extends SkillFailure {
  override readonly name = 'TooManyEvents';
}

export function isEventType(type: string): boolean {
  return TYPE.test(type);
}

/** @param make takes an event of the run with its number in the turn, from 1 */
export function skillPublish(make: (publication: Publication, number: number) => void): Publish {
  let count = 0;
  return (type, data, { subject } = {}) => {
    assertOutsideSteps('publish()');
    if (!isEventType(type)) throw new RangeError(`"${type}" is no type of an event, as "invoice.approved"`);
    if (subject !== undefined && (subject === '' || subject.length > MAX_SUBJECT)) {
      throw new RangeError(`The subject of an event has 1 to ${String(MAX_SUBJECT)} characters`);
    }
    const json = data === undefined ? undefined : JSON.stringify(data);
    if (json !== undefined && Buffer.byteLength(json) > MAX_DATA_BYTES) {
      throw new RangeError(
        `The data of an event has at most ${String(MAX_DATA_BYTES / 1024)} KiB: publish a reference`,
      );
    }
    count += 1;
    if (count > MAX_OF_TURN) throw new TooManyEvents(`A turn publishes at most ${String(MAX_OF_TURN)} events.`);
    make(
      {
        type,
        ...(json === undefined ? {} : { data: json }),
        ...(subject === undefined ? {} : { subject }),
      },
      count,
    );
  };
}
