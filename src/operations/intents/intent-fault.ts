import type { A2AError, FieldViolation } from '@parley/protocol/model/errors.js';
import type { TaskState } from '@parley/protocol/model/task-state.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import type { IntentAnswer } from './intent-answer.js';

/** Format of faults per endpoint: the two spellings of seed 2, § 6.2 for JSON-RPC and § 7.3 for `POST /run`. */
export type FaultStyle = 'rpc' | 'run';

/** Data for the calling agent to correlate an error, to recover, and to decide about a retry (O-06). */
export interface IntentFaultData {
  /** Whether the same call may succeed later. One with a `request_id` never runs twice. */
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  /** Id of the error in the service's log. */
  readonly reference?: string;
  readonly taskId?: string;
  readonly contextId?: string;
  readonly status?: TaskState;
  /** The parts of the open question. */
  readonly question?: readonly unknown[];
  /** Wrong fields, by their paths: `inputs.lines[2].amount`. */
  readonly violations?: readonly FieldViolation[];
  /** The stable name of the error. */
  readonly reason: string;
}

export interface IntentFault {
  readonly message: string;
  readonly data: IntentFaultData;
}

/** Delay before a caller may ask again for a running task. */
const ASK_AGAIN_MS = 1_000;

const UNKNOWN = 'is not a known field';

/**
 * A refused call. @param given `params` of JSON-RPC or the body of `POST /run`, to distinguish missing fields from
 * wrong ones
 */
export function faultOf(error: A2AError, given: unknown, style: FaultStyle): IntentFault {
  const violations = error.violations.map(({ field, description }) => ({ field: pathOf(field), description }));
  const first = violations.find(({ field }) => isMissing(field, given)) ?? violations[0];
  const { reference, taskId } = error.metadata;
  const { retryAfterSeconds } = error;
  return {
    message: first === undefined ? error.message : violationText(first, given, style),
    data: {
      retryable: error.kind === 'RateLimited' || error.kind === 'Unavailable',
      ...(retryAfterSeconds === undefined ? {} : { retryAfterMs: retryAfterSeconds * 1000 }),
      ...(reference === undefined ? {} : { reference }),
      ...(taskId === undefined ? {} : { taskId }),
      ...(violations.length === 0 ? {} : { violations }),
      reason: error.kind,
    },
  };
}

/**
 * A completed call without a result.
 * @param isRepeatable whether the caller sent a `request_id`: a repeat then follows the task that it began
 */
export function faultOfAnswer(answer: Exclude<IntentAnswer, { kind: 'done' }>, isRepeatable: boolean): IntentFault {
  const { taskId, contextId, status } = answer;
  const facts = { taskId, contextId, status, reason: REASONS[answer.kind] };
  switch (answer.kind) {
    case 'running': {
      const again = isRepeatable ? { retryAfterMs: ASK_AGAIN_MS } : {};
      return { message: 'The task has not ended yet.', data: { retryable: isRepeatable, ...again, ...facts } };
    }
    case 'asks': {
      const message = answer.text === '' ? 'The task waits for an answer.' : answer.text;
      return { message, data: { retryable: false, ...facts, question: answer.parts } };
    }
    case 'failed':
      return {
        message: answer.text === '' ? 'The task has ended without a result.' : answer.text,
        data: { retryable: false, ...facts },
      };
  }
}

const REASONS = { running: 'TaskRunning', asks: 'InputRequired', failed: 'TaskFailed' } as const;

/** Paths in the message made from a call, with their names in the call itself. */
const PLACES: readonly (readonly [RegExp, string])[] = [
  [/^message\.parts\[0\]\.data(?=\.|$)/, 'inputs'],
  [/^message\.metadata\.input(?=\.|$)/, 'inputs'],
  [/^message\.messageId$/, 'context.request_id'],
  [/^message\.metadata\.urn:parley:extension:context:1\.memory(?=\.|$)/, 'memory'],
  [/^message\.metadata\.urn:parley:extension:context:1(?=\.|$)/, 'context'],
];

function pathOf(field: string): string {
  const place = PLACES.find(([pattern]) => pattern.test(field));
  return place === undefined ? field : field.replace(place[0], place[1]);
}

function violationText({ field, description }: FieldViolation, given: unknown, style: FaultStyle): string {
  const [, owner, inner] = /^(inputs|context|memory)\.(.+)$/.exec(field) ?? [];
  const name = inner ?? field;
  const what = isMissing(field, given)
    ? 'Missing required field'
    : description === UNKNOWN
      ? 'Unknown field'
      : 'Invalid field';
  const why = what === 'Invalid field' ? withoutName(description, name) : '';
  if (style === 'run') return `${what}: '${name}'${why === '' ? '' : ` ${why}`}`;
  return `${what} '${name}' in ${owner ?? 'params'}${why === '' ? '.' : `: ${why}.`}`;
}

/** class-validator's texts begin with the member's name. */
function withoutName(description: string, name: string): string {
  const member = name.split('.').at(-1) ?? name;
  return description.startsWith(`${member} `) ? description.slice(member.length + 1) : description;
}

function isMissing(field: string, given: unknown): boolean {
  if (field === 'params') return false;
  let value = given;
  for (const name of field.split(/[.[\]]+/).filter(Boolean)) {
    if (value === undefined || value === null) return true;
    value = Array.isArray(value)
      ? value[Number(name)]
      : isJsonObject(value) && Object.hasOwn(value, name)
        ? value[name]
        : undefined;
  }
  return value === undefined || value === null;
}
