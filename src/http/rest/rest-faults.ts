import type { A2AError } from '@parley/protocol/model/errors.js';
import { REST_HTTP_STATUS } from '@parley/protocol/binding/rest-http-status.js';
import { restErrorV03 } from '@parley/protocol/v0_3/rest/codec.js';
import { restErrorV1 } from '@parley/protocol/v1_0/rest-errors.js';
import { a2aJsonHeaders, PLAIN_JSON_HEADERS } from '../answer/media-types.js';
import { faultHeaders, type HeadFaults, HttpFault, type RequestHead, type TextAnswer } from '../errors.js';

/** A fault in HTTP+JSON format: of 0.3 below `/v1`, else of 1.0. */
export function restFault(error: A2AError, { path, accept }: Pick<RequestHead, 'path' | 'accept'>): TextAnswer {
  const status = error instanceof HttpFault ? error.httpStatus : REST_HTTP_STATUS[error.kind];
  const isV03 = /^\/v1(\/|$)/.test(path);
  const text = JSON.stringify(isV03 ? restErrorV03(error) : restErrorV1(error, status));
  const media = isV03 ? PLAIN_JSON_HEADERS : a2aJsonHeaders(accept);
  return { status, headers: { ...media, ...faultHeaders(error) }, text };
}

/** Answers everything that no other binding answers. */
export const REST_HEAD_FAULTS: HeadFaults = { takes: () => true, answer: restFault };
