import { describe, expect, it } from '@jest/globals';
import { turnMs } from '../../../test/kit/hostile/loop-delay.js';
import { faultOf, reasonOf } from './run-fault.js';

/** Messages of errors, with their stored forms. */
const SECRETS: readonly (readonly [message: string, secret: string])[] = [
  ['connect redis://admin:hunter22@db:6379 refused', 'hunter22'],
  ['401 for Authorization: Bearer abcdef0123456789', 'abcdef0123456789'],
  ['request failed, api_key=abc123def456&x=1', 'abc123def456'],
  ['{"password": "correct horse"} is wrong', 'correct horse'],
  ['Incorrect API key provided: sk-proj-0123456789abcdef', 'sk-proj-0123456789abcdef'],
  ['bad token eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln here', 'eyJzdWIiOiJhIn0'],
  ['-----BEGIN PRIVATE KEY-----\nMIIabc\n-----END PRIVATE KEY-----', 'MIIabc'],
  ['GET https://x.example/a?access_token=s3cr3tvalue&b=1', 's3cr3tvalue'],
];

describe(faultOf, () => {
  it('keeps class, message, cause and reference of an error (C-1)', () => {
    const error = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 10.0.0.1:443') });
    expect(faultOf(error, 'r-1')).toEqual({
      type: 'TypeError',
      message: 'fetch failed (connect ECONNREFUSED 10.0.0.1:443)',
      reference: 'r-1',
    });
  });

  it.each(SECRETS)('keeps no secret of "%s"', (message, secret) => {
    const { message: kept } = faultOf(new Error(message));
    expect(kept).not.toContain(secret);
    expect(kept).toContain('[Redacted]');
  });

  it('keeps no value of a secret environment variable', () => {
    process.env.TEST_FAULT_API_KEY = 'a value of its own';
    const { message } = faultOf(new Error('the key a value of its own is refused'));
    delete process.env.TEST_FAULT_API_KEY;
    expect(message).toBe('the key [Redacted] is refused');
  });

  it.each([
    ['a text', 'broken', 'string'],
    ['an object', { code: 7 }, 'object'],
    ['nothing', undefined, 'undefined'],
  ])('takes %s that is thrown', (_what, thrown, type) => {
    expect(faultOf(thrown)).toMatchObject({ type });
  });

  it('is bounded, in one line, and whole characters', () => {
    const { message, type } = faultOf(
      Object.assign(new Error(`a\n\u001b[2J${'😀'.repeat(10_000)}`), { name: 'N'.repeat(999) }),
    );
    expect(message.length).toBeLessThanOrEqual(500);
    expect(type.length).toBeLessThanOrEqual(80);
    expect(message).not.toMatch(/[\p{Cc}]/u);
    expect(encodeURIComponent(message)).toContain('%F0%9F%98%80');
  });

  it('handles hostile repetition quickly', () => {
    const ms = turnMs(() => {
      for (const piece of ['password', 'a://', 'token=', '-----BEGIN PRIVATE KEY-----', 'eyJaaaaaaaaaa.'])
        faultOf(new Error(piece.repeat(200_000)));
    });
    expect(ms).toBeLessThan(1_000);
  });
});

describe(reasonOf, () => {
  const message = JSON.stringify({ parts: [{ text: 'The hotel\nis full' }, { data: 1 }, { text: 'today' }] });

  it('is the status text of a failed or rejected task', () => {
    expect(reasonOf('TASK_STATE_FAILED', message)).toEqual({ reason: 'The hotel is full today' });
    expect(reasonOf('TASK_STATE_REJECTED', message)).toEqual({ reason: 'The hotel is full today' });
    expect(reasonOf('TASK_STATE_COMPLETED', message)).toEqual({});
    expect(reasonOf('TASK_STATE_FAILED', '')).toEqual({});
  });
});
