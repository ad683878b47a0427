import { describe, expect, it } from '@jest/globals';
import { loggable, withLineFields } from './line-fields.js';
import { PinoLogger } from './pino.logger.js';

describe(withLineFields, () => {
  it('adds the fields of the work around a line, of inner work too, and of no other work (S8)', async () => {
    const lines: Record<string, unknown>[] = [];
    const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
    const log = new PinoLogger('info', { write });
    await withLineFields({ trace_id: 'trace-1', caller: 'agent://a' }, async () => {
      await Promise.resolve();
      withLineFields({ taskId: 't' }, () => log.log({ event: 'inner' }));
      log.log({ event: 'outer', caller: 'own' });
    });
    log.log({ event: 'other' });
    expect(lines).toMatchObject([
      { event: 'inner', trace_id: 'trace-1', caller: 'agent://a', taskId: 't' },
      { event: 'outer', trace_id: 'trace-1', caller: 'own' },
      { event: 'other' },
    ]);
    expect(lines[2]).not.toHaveProperty('trace_id');
  });
});

describe(loggable, () => {
  it('leaves nothing of a text that could break or forge a line', () => {
    expect(loggable('a\nb"c\u2028')).toBe('a?b?c?');
    expect(loggable('x'.repeat(1_000))).toHaveLength(128);
  });
});
