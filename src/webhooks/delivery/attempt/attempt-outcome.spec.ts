import { describe, expect, it } from '@jest/globals';
import { type AttemptResult, outcomeOf, signOf } from './attempt-outcome.js';

function answered(status: number, headers: Record<string, string> = {}): AttemptResult {
  return { kind: 'answered', status, headers };
}

describe(outcomeOf.name, () => {
  it.each([200, 201, 202, 204, 299])('takes a %i as delivered (A2A-PN-07)', (status) => {
    expect(outcomeOf(answered(status), 1, 0)).toEqual({ kind: 'delivered' });
  });

  it.each([408, 425, 429, 500, 502, 503, 504, 599])('retries a %i to the end (A2A-PN-07)', (status) => {
    for (const attempt of [1, 4, 12]) {
      expect(outcomeOf(answered(status), attempt, 0)).toEqual({ kind: 'retry', reason: `http_${String(status)}` });
    }
  });

  it.each([301, 302, 307, 308, 400, 401, 403, 404, 413, 422])(
    'believes a %i after four attempts (A2A-PN-07)',
    (status) => {
      expect([1, 2, 3, 4].map((attempt) => outcomeOf(answered(status), attempt, 0).kind)).toEqual([
        'retry',
        'retry',
        'retry',
        'drop',
      ]);
    },
  );

  it('stops the webhook on 410', () => {
    expect(outcomeOf(answered(410), 1, 0)).toEqual({ kind: 'stop', reason: 'http_410' });
  });

  it('drops the event when the receiver says so', () => {
    const result = answered(500, { 'webhook-delivery': 'abort-message' });
    expect(outcomeOf(result, 1, 0)).toEqual({ kind: 'drop', reason: 'aborted_by_receiver' });
  });

  it('reads Retry-After of 429 and 503 only', () => {
    const heard = [429, 503, 500].map((status) => outcomeOf(answered(status, { 'retry-after': '7' }), 1, 0));
    expect(heard).toEqual([
      { kind: 'retry', reason: 'http_429', retryAfterMs: 7000 },
      { kind: 'retry', reason: 'http_503', retryAfterMs: 7000 },
      { kind: 'retry', reason: 'http_500' },
    ]);
  });

  it.each(['timeout', 'dns', 'connect', 'tls', 'reset', 'protocol'])('retries after %s', (code) => {
    expect(outcomeOf({ kind: 'failed', code }, 12, 0)).toEqual({ kind: 'retry', reason: code });
  });

  it('never retries a blocked address', () => {
    expect(outcomeOf({ kind: 'failed', code: 'blocked_address' }, 1, 0)).toEqual({
      kind: 'stop',
      reason: 'blocked_address',
    });
  });
});

describe(signOf.name, () => {
  it.each([301, 400, 401, 403, 404, 410, 413, 422])(
    'takes a %i as the fault of one webhook, not of its endpoint (L2)',
    (status) => {
      expect(signOf(answered(status))).toBe('refused');
    },
  );

  it.each([408, 425, 429, 500, 503])('takes a %i as a failure of the endpoint', (status) => {
    expect(signOf(answered(status))).toBe('failed');
  });

  it('takes a broken connection as a failure, and a blocked address as no sign at all', () => {
    expect(signOf({ kind: 'failed', code: 'timeout' })).toBe('failed');
    expect(signOf({ kind: 'failed', code: 'blocked_address' })).toBe('none');
    expect(signOf(answered(204))).toBe('succeeded');
  });
});
