import { REST_HTTP_STATUS } from '@parley/protocol/binding/rest-http-status.js';
import type { A2AError } from '@parley/protocol/model/errors.js';
import { PLAIN_JSON_HEADERS } from '../../http/answer/media-types.js';
import { faultHeaders, type HeadFaults, HttpFault, type TextAnswer } from '../../http/errors.js';

/** The path of the endpoint; the skill follows. */
export const AGUI_PATH = '/agui';

const CODES: Readonly<Partial<Record<A2AError['kind'], string>>> = {
  ...{ InvalidParams: 'invalid_input', ParseError: 'invalid_input', InvalidRequest: 'invalid_input' },
  ...{ MethodNotFound: 'unknown_skill', ContentTypeNotSupported: 'unsupported_content' },
};
const STATUS: Readonly<Partial<Record<A2AError['kind'], number>>> = { UnsupportedOperation: 409, MethodNotFound: 404 };

/** The code of an error for pages, before a stream and in it. */
export function codeOf(error: A2AError): string {
  if (isReused(error)) return 'run_id_reused';
  return CODES[error.kind] ?? error.kind.replace(/(?<=.)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}

/** An error as plain JSON: the client of AG-UI parses no other type. */
export function aguiFault(error: A2AError): TextAnswer {
  const { message, violations, metadata, retryAfterSeconds } = error;
  const own = error instanceof HttpFault ? error.httpStatus : (STATUS[error.kind] ?? REST_HTTP_STATUS[error.kind]);
  const body = {
    ...{ code: codeOf(error), message, taskId: metadata.taskId, reference: metadata.reference },
    ...(violations.length === 0 ? {} : { violations }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterMs: retryAfterSeconds * 1000 }),
  };
  const headers = { ...PLAIN_JSON_HEADERS, ...faultHeaders(error) };
  return { status: isReused(error) ? 409 : own, headers, text: JSON.stringify({ error: body }) };
}

/** The same for a skill that is unknown, and for one that the caller may not use. */
export function unknownSkill(): HttpFault {
  return new HttpFault('MethodNotFound', 'There is no such skill', 404);
}

function isReused({ violations }: A2AError): boolean {
  return violations.some(({ field }) => field === 'message.messageId');
}

export const AGUI_HEAD_FAULTS: HeadFaults = {
  takes: ({ path }) => path.startsWith(`${AGUI_PATH}/`),
  answer: aguiFault,
};
