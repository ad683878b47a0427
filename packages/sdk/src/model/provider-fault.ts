import { ModelFault, type ModelFaultKind } from './model-fault.js';

/** A provider's refusal of a request. */
export interface ProviderRefusal {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Its text, for the log of the operator. */
  readonly message?: string;
  /** Its words for the reason, such as `insufficient_quota`. */
  readonly code?: string;
}

/** An account without money: waiting changes nothing. */
const SPENT = /insufficient[_ ](quota|balance|credit)|billing|credit balance|quota_exceeded|payment/i;
const TOO_LONG =
  /context[_ ]length|prompt is too long|too many tokens|maximum context|input token count|context window/i;
const FILTERED = /content[_ ](filter|policy)|responsible ?ai/i;
const DAY_MS = 86_400_000;

/** The fault of a refused request, in the words of the service. */
export function providerFault(refusal: ProviderRefusal, now = Date.now()): ModelFault {
  const { status, message = '', headers } = refusal;
  const text = `The model has answered ${String(status)}${message === '' ? '' : `: ${message}`}`;
  const kind = kindOf(refusal);
  const retryAfterMs = kind === 'rate' || kind === 'unavailable' ? retryAfterOf(headers, now) : undefined;
  return new ModelFault(kind, text, retryAfterMs === undefined ? {} : { retryAfterMs });
}

/** 529 is Anthropic's word for an account that has to wait since the provider is overloaded. */
function kindOf({ status, message = '', code = '' }: ProviderRefusal): ModelFaultKind {
  if (status === 402) return 'spent';
  if (status === 429) return SPENT.test(code) || SPENT.test(message) ? 'spent' : 'rate';
  if (status === 529) return 'rate';
  if (status === 408 || status === 409 || status >= 500) return 'unavailable';
  if (status === 413) return 'too-long';
  if (status !== 400 && status !== 422) return 'refused';
  if (SPENT.test(code) || /credit balance/i.test(message)) return 'spent';
  if (TOO_LONG.test(code) || TOO_LONG.test(message)) return 'too-long';
  return FILTERED.test(code) ? 'filtered' : 'refused';
}

/** `retry-after-ms`, or `Retry-After` in seconds or as a date; 0 for the past, a day at most. */
function retryAfterOf(headers: ProviderRefusal['headers'], now: number): number | undefined {
  const exact = numberOf(headers['retry-after-ms']);
  const given = headers['retry-after'];
  const seconds = numberOf(given);
  const date = given === undefined || seconds !== undefined ? NaN : Date.parse(given);
  const ms = exact ?? (seconds === undefined ? date - now : seconds * 1000);
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), DAY_MS);
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined || !/^\s*\d+(\.\d+)?\s*$/.test(text) ? undefined : Number(text);
}
