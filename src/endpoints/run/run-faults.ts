import { runFaultOf } from './run-answer.js';
import type { A2AError } from '@parley/protocol/model/errors.js';
import { REST_HTTP_STATUS } from '@parley/protocol/binding/rest-http-status.js';
import { PLAIN_JSON_HEADERS } from '../../http/answer/media-types.js';
import { faultHeaders, type HeadFaults, HttpFault, type TextAnswer } from '../../http/errors.js';

/** The path of intents over plain HTTP. */
export const RUN_PATH = '/run';

/** A fault in the seed's format. @param body the parsed body; undefined before it has been read */
export function runFault(error: A2AError, body: unknown): TextAnswer {
  const own = error instanceof HttpFault ? error.httpStatus : REST_HTTP_STATUS[error.kind];
  const { status, text } = runFaultOf(error, body, own);
  return { status, headers: { ...PLAIN_JSON_HEADERS, ...faultHeaders(error) }, text };
}

export const RUN_HEAD_FAULTS: HeadFaults = {
  takes: ({ method, path }) => method === 'POST' && path === RUN_PATH,
  answer: (error) => runFault(error, undefined),
};
