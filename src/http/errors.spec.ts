import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { A2AError } from '@parley/protocol/model/errors.js';
import { toClientError } from './errors.js';

const log = new Logger('test');

afterEach(() => {
  jest.restoreAllMocks();
});

describe(toClientError.name, () => {
  it('writes a fault into the log under the reference given to its caller (A2A-ERR-07)', () => {
    const logged = jest.spyOn(log, 'error').mockImplementation(() => undefined);
    const error = new TypeError('internal detail');
    const { kind, message } = toClientError(error, log);
    const [, reference] = /^Internal error\. Reference: ([0-9a-f-]{36})$/.exec(message) ?? [];
    expect(kind).toBe('InternalError');
    expect(logged.mock.calls).toEqual([[{ event: 'unexpected', reference, error }]]);
  });

  it('distinguishes an outage of Redis from a fault, with a retry time (A2A-ERR-06)', () => {
    const warned = jest.spyOn(log, 'warn').mockImplementation(() => undefined);
    const outage = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    expect(toClientError(outage, log)).toMatchObject({ kind: 'Unavailable', retryAfterSeconds: 2 });
    expect(warned).toHaveBeenCalledTimes(1);
  });

  it('does not change an error meant for the caller', () => {
    const error = new A2AError('TaskNotFound', 'Task not found');
    expect(toClientError(error, log)).toBe(error);
  });
});
