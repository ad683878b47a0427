import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { readableDestination } from './log-destination.js';
import { PinoLogger } from './pino.logger.js';
import { readableLine } from './readable-line.js';

describe(readableLine, () => {
  it('is event, outcome, duration, then the other members by name', () => {
    const record = { operation: 'SendMessage', version: '1.0', outcome: 'ok', ms: 12, taskId: 't1', requestId: 'r1' };
    expect(readableLine({ level: 'info', time: 'now', event: 'rpc.handled', ...record })).toBe(
      'rpc.handled SendMessage ok 12 ms version=1.0 taskId=t1',
    );
  });

  it('shows objects as JSON, and leaves out what is not there', () => {
    expect(readableLine({ event: 'a', list: [1, 2], none: null, at: undefined })).toBe('a list=[1,2]');
  });

  it('shows the stack of an error below, or its message where it has none', () => {
    expect(readableLine({ event: 'run.broke', error: { message: 'm', stack: 'Error: m\n    at f' } })).toBe(
      'run.broke\nError: m\n    at f',
    );
    expect(readableLine({ event: 'x', error: { message: 'm' } })).toBe('x\nm');
  });
});

describe(readableDestination, () => {
  it('writes a line of a terminal: time, level, text, and no JSON', async () => {
    const terminal = new PassThrough();
    const logger = new PinoLogger('info', readableDestination(terminal));
    logger.log({ event: 'skill.ran', skill: 'echo', taskId: 't1', ending: 'committed', ms: 3 }, 'SkillRunner');
    terminal.end();
    expect(await text(terminal)).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: skill\.ran echo committed 3 ms taskId=t1\n$/);
  });
});
