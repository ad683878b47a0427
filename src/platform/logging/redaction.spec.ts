import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { loggableUrl, REDACTED_PATHS, withoutSecrets } from './redaction.js';

const CANARY = 'canary-4711';

describe('redaction of the log', () => {
  const lines: string[] = [];
  const options = { redact: [...REDACTED_PATHS], formatters: { log: withoutSecrets } };
  const logger = pino(options, { write: (line: string) => lines.push(line) });
  const headers = { authorization: CANARY, DPoP: CANARY, 'X-API-Key': CANARY, 'webhook-signature': CANARY };

  it('removes secrets from headers and fields, however deep they are (A2A-SEC-07)', () => {
    const config = { token: CANARY, authentication: { scheme: 'Bearer', credentials: CANARY } };
    logger.info({ headers, req: { headers }, res: { headers: { 'set-cookie': CANARY } } });
    logger.info({ token: CANARY, secret: CANARY, config, list: [{ params: [{ request: { config } }] }] });
    expect(lines.splice(0).join('')).not.toContain(CANARY);
  });

  it('removes them from errors, which serializers turn into fields', () => {
    const err = Object.assign(new Error('refused'), { headers: { authorization: CANARY }, token: CANARY });
    logger.info({ err });
    expect(lines.splice(0).join('')).not.toContain(CANARY);
  });

  it('does not change other fields', () => {
    logger.info({ task: { id: 't1', state: 'WORKING', sizes: [1, 2] }, at: new Date(0), nothing: null });
    expect(JSON.parse(lines.splice(0).join(''))).toMatchObject({
      task: { id: 't1', state: 'WORKING', sizes: [1, 2] },
      at: '1970-01-01T00:00:00.000Z',
      nothing: null,
    });
  });

  it('does not fail on buffers, URLs, maps and cycles', () => {
    const circle: Record<string, unknown> = { name: 'circle' };
    circle.self = circle;
    const err = Object.assign(new Error('parse'), { rawPacket: Buffer.from('GET') });
    const strange = {
      err,
      url: new URL('http://a.example/'),
      map: new Map([[1, 2]]),
      circle,
      deep: { buf: Buffer.from('x') },
    };
    expect(() => {
      logger.info(strange);
    }).not.toThrow();
  });
});

describe(loggableUrl.name, () => {
  it('keeps no query, no fragment and no user', () => {
    expect(loggableUrl(`/rpc?access_token=${CANARY}`)).toBe('/rpc');
    expect(loggableUrl(`https://user:${CANARY}@hooks.example/in?key=${CANARY}#${CANARY}`)).toBe(
      'https://hooks.example/in',
    );
    expect(loggableUrl(`https://a@b:${CANARY}@hooks.example/`)).toBe('https://hooks.example/');
  });

  it('leaves other text alone', () => {
    expect(loggableUrl('/tasks/1@2:cancel')).toBe('/tasks/1@2:cancel');
  });
});
