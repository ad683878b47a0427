import { describe, expect, it } from '@jest/globals';
import { PinoLogger } from '../../platform/logging/pino.logger.js';
import { logCall } from './finished-call.js';

type HandledCall = Parameters<typeof logCall>[1];

function linesAt(level: 'info' | 'debug', call: Partial<HandledCall>): readonly Record<string, unknown>[] {
  const lines: string[] = [];
  const log = new PinoLogger(level, { write: (line) => lines.push(line) });
  const handled: HandledCall = {
    ...{ binding: 'jsonrpc', operation: 'GetTask', dialect: '1.0', outcome: 'ok', seconds: 0.0042 },
    ...call,
  };
  logCall(log, handled, { requestId: 'r1', taskId: 't1' });
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe(logCall, () => {
  it('writes one line for each call, with operation, outcome, duration and ids', () => {
    expect(linesAt('info', { operation: 'SendMessage' })).toMatchObject([
      {
        ...{ level: 'info', event: 'rpc.handled', operation: 'SendMessage', version: '1.0', outcome: 'ok', ms: 4 },
        ...{ requestId: 'r1', taskId: 't1' },
      },
    ]);
  });

  it('writes the line of a poll that succeeds at debug, and of one that fails at info', () => {
    expect(linesAt('info', {})).toEqual([]);
    expect(linesAt('debug', {})).toMatchObject([{ level: 'debug', operation: 'GetTask' }]);
    expect(linesAt('info', { outcome: 'TaskNotFound' })).toMatchObject([{ level: 'info', outcome: 'TaskNotFound' }]);
  });
});
