import { describe, expect, it } from '@jest/globals';
import { PinoLogger } from './pino.logger.js';

describe(PinoLogger.name, () => {
  it('writes no secret, at any position in a line (A2A-SEC-07)', () => {
    const lines: string[] = [];
    const logger = new PinoLogger('debug', { write: (line) => lines.push(line) });
    const secret = 'canary4711canary';
    logger.log({ event: 'a', headers: { authorization: secret, 'x-api-key': secret } }, 'Context');
    logger.warn({ event: 'b', config: { authentication: { credentials: secret }, token: secret } });
    logger.error({
      event: 'c',
      error: Object.assign(new Error('failed'), { token: secret, headers: { dpop: secret } }),
    });
    expect(lines).toHaveLength(3);
    expect(lines.join('')).not.toContain(secret);
    expect(lines.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual(['a', 'b', 'c']);
  });
});
