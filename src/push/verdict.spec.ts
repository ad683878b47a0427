import { describe, expect, it } from '@jest/globals';
import { judge, type AttemptResult } from './verdict.js';

function answered(status: number, headers: Record<string, string> = {}): AttemptResult {
  return { kind: 'answered', status, headers };
}

describe(judge.name, () => {
  it.each([200, 201, 202, 204, 299])('takes a %i as delivered (A2A-PN-07)', (status) => {
    expect(judge(answered(status), 1, 0)).toEqual({ kind: 'delivered' });
  });

  it.each([408, 425, 429, 500, 502, 503, 504, 599])('retries a %i to the end (A2A-PN-07)', (status) => {
    for (const attempt of [1, 4, 12]) {
      expect(judge(answered(status), attempt, 0)).toEqual({ kind: 'retry', reason: `http_${String(status)}` });
    }
  });

  it.each([301, 302, 307, 308, 400, 401, 403, 404, 413, 422])(
    'believes a %i after four attempts (A2A-PN-07)',
    (status) => {
      expect([1, 2, 3, 4].map((attempt) => judge(answered(status), attempt, 0).kind)).toEqual([
        'retry',
        'retry',
        'retry',
        'drop',
      ]);
    },
  );

  it('stops the webhook on 410', () => {
    expect(judge(answered(410), 1, 0)).toEqual({ kind: 'stop', reason: 'http_410' });
  });

  it('drops the event when the receiver says so', () => {
    const result = answered(500, { 'webhook-delivery': 'abort-message' });
    expect(judge(result, 1, 0)).toEqual({ kind: 'drop', reason: 'aborted_by_receiver' });
  });

  it('hears Retry-After of 429 and 503 only', () => {
    const heard = [429, 503, 500].map((status) => judge(answered(status, { 'retry-after': '7' }), 1, 0));
    expect(heard).toEqual([
      { kind: 'retry', reason: 'http_429', retryAfterMs: 7000 },
      { kind: 'retry', reason: 'http_503', retryAfterMs: 7000 },
      { kind: 'retry', reason: 'http_500' },
    ]);
  });

  it.each(['timeout', 'dns', 'connect', 'tls', 'reset', 'protocol'])('retries after %s', (code) => {
    expect(judge({ kind: 'failed', code }, 12, 0)).toEqual({ kind: 'retry', reason: code });
  });

  it('never retries a blocked address', () => {
    expect(judge({ kind: 'failed', code: 'blocked_address' }, 1, 0)).toEqual({
      kind: 'stop',
      reason: 'blocked_address',
    });
  });
});
