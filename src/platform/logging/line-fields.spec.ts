import { describe, expect, it } from '@jest/globals';
import { addLineFields, loggable, withLineFields, withoutLineFields } from './line-fields.js';
import { PinoLogger } from './pino.logger.js';

describe(withLineFields, () => {
  it('adds the fields of the work that a line belongs to, and not those of work around it (S8)', async () => {
    const lines: Record<string, unknown>[] = [];
    const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
    const log = new PinoLogger('info', { write });
    await withLineFields({ trace_id: 'trace-1', caller: 'agent://a' }, async () => {
      await Promise.resolve();
      withLineFields({ taskId: 't' }, () => log.log({ event: 'inner' }));
      withoutLineFields(() => log.log({ event: 'apart' }));
      addLineFields({ tenant: 'acme' });
      log.log({ event: 'outer', caller: 'own' });
    });
    log.log({ event: 'other' });
    expect(lines).toMatchObject([
      { event: 'inner', taskId: 't' },
      { event: 'apart' },
      { event: 'outer', trace_id: 'trace-1', caller: 'own', tenant: 'acme' },
      { event: 'other' },
    ]);
    expect(lines.map((line) => 'trace_id' in line)).toEqual([false, false, true, false]);
  });
});

describe(loggable, () => {
  it('removes everything from a text that could break or forge a line', () => {
    expect(loggable('a\nb"c\u2028')).toBe('a?b?c?');
    expect(loggable('x'.repeat(1_000))).toHaveLength(128);
  });
});
