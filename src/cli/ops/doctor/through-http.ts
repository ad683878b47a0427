import type { JsonObject } from '@parley/protocol/model/json.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import type { Finding } from '../../../main/finding.js';
import { faultText } from './fault-text.js';

/** Milliseconds that one answer may take. */
export const TIMEOUT_MS = 5_000;
const MAX_TEXT = 1024 * 1024;
/** The name of these checks. */
export const CHECK = 'through';

/** What is compared, and how patiently. */
export interface ThroughOptions {
  /** The address that callers use: a gateway. */
  readonly through: string;
  /** The address of the service itself. */
  readonly direct: string;
  /** Headers with a credential; without it no stream is asked for. */
  readonly credential: Readonly<Record<string, string>> | undefined;
  /** Seconds of the stream: longer than a time-out that is looked for. */
  readonly seconds: number;
  /** Milliseconds that one answer may take. */
  readonly timeoutMs?: number;
}

/** An answer, as far as it could be read. */
export interface Answer {
  /** 0 without an answer. */
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined unless the status is below 300 and the text is a JSON object. */
  readonly json: JsonObject | undefined;
  /** Why there is no JSON. */
  readonly fault: string;
}

/** Asks once. Never throws. */
export async function ask(url: string, request: RequestInit = {}, timeoutMs = TIMEOUT_MS): Promise<Answer> {
  let [status, headers] = [0, new Headers()];
  try {
    const response = await fetch(url, { ...request, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
    ({ status, headers } = response);
    const text = (await response.text()).slice(0, MAX_TEXT);
    const json = status < 300 ? objectIn(text) : undefined;
    const what = text.trimStart().startsWith('<') ? 'with HTML' : `with ${headers.get('content-type') ?? 'no type'}`;
    return { status, headers, text, json, fault: `status ${String(status)} ${what}` };
  } catch (error) {
    return { status, headers, text: '', json: undefined, fault: faultText(error) };
  }
}

function objectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function bad(text: string, fix: string): Finding {
  return { check: CHECK, severity: 'fail', text, fix };
}
