import { REST_HTTP_STATUS } from '@parley/protocol/binding/rest-http-status.js';
import type { A2AError } from '@parley/protocol/model/errors.js';
import { PLAIN_JSON_HEADERS } from '../../http/answer/media-types.js';
import { faultHeaders, type HeadFaults, HttpFault, type TextAnswer } from '../../http/errors.js';

/** The base path of OpenAI's API here: what its clients call `base_url`. */
export const OPENAI_PATH = '/openai/v1';

/** Tells OpenAI's clients not to send a request again by themselves: its task exists. */
export const NO_RETRY = { 'x-should-retry': 'false' } as const;

/** An error in OpenAI's form. */
export interface OpenAiError {
  readonly message: string;
  readonly type: string;
  /** The member of the request that is wrong. */
  readonly param: string | null;
  readonly code: string | null;
}

const CODES: Readonly<Partial<Record<A2AError['kind'], string>>> = {
  Unauthenticated: 'invalid_api_key',
  RateLimited: 'rate_limit_exceeded',
  RequestTooLarge: 'request_too_large',
};

/** @param isBegun whether the task of the request may exist: sent again, it would run twice */
export function openAiFault(error: A2AError, isBegun: boolean): TextAnswer {
  const status = error instanceof HttpFault ? error.httpStatus : REST_HTTP_STATUS[error.kind];
  const headers = { ...PLAIN_JSON_HEADERS, ...faultHeaders(error), ...(isBegun ? NO_RETRY : {}) };
  return { status, headers, text: JSON.stringify({ error: errorOf(error, status) }) };
}

export function errorOf(error: A2AError, status = REST_HTTP_STATUS[error.kind]): OpenAiError {
  const { kind, message, violations, metadata } = error;
  const param = violations[0]?.field.replace(/^message\..*$/, 'messages') ?? null;
  return { message, type: typeOf(status), param, code: metadata.code ?? CODES[kind] ?? null };
}

/** The same for a model that is unknown, and for one that the caller may not use. */
export function unknownModel(model: string): HttpFault {
  return new HttpFault(
    'InvalidParams',
    `The model "${model.slice(0, 80)}" does not exist`,
    404,
    {},
    {
      violations: [{ field: 'model', description: 'is not known' }],
      metadata: { code: 'model_not_found' },
    },
  );
}

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

export const OPENAI_HEAD_FAULTS: HeadFaults = {
  takes: ({ path }) => path.startsWith(`${OPENAI_PATH}/`),
  answer: (error) => openAiFault(error, false),
};
