import { describe, expect, it } from '@jest/globals';
import { context, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { PinoLogger } from '../../platform/logging/pino.logger.js';
import { describeCall, logCall } from './call-recorder.js';

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

  it('writes the line of a successful poll at debug, and of a failed one at info', () => {
    expect(linesAt('info', {})).toEqual([]);
    expect(linesAt('debug', {})).toMatchObject([{ level: 'debug', operation: 'GetTask' }]);
    expect(linesAt('info', { outcome: 'TaskNotFound' })).toMatchObject([{ level: 'info', outcome: 'TaskNotFound' }]);
  });
});

describe(describeCall, () => {
  it('names the chain of parties that the subject of the token has delegated to (O-14)', () => {
    const spans = new InMemorySpanExporter();
    const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
    provider.register();
    const call: HandledCall = { binding: 'rest', operation: 'GetTask', dialect: '1.0', outcome: 'ok', seconds: 0 };
    try {
      provider.getTracer('test').startActiveSpan('HTTP', (span) => {
        describeCall(call, { requestId: 'r1', actors: ['planner', 'portal'] });
        span.end();
      });
    } finally {
      context.disable();
      trace.disable();
    }
    expect(spans.getFinishedSpans().map(({ name, attributes }) => [name, attributes['a2a.actors']])).toEqual([
      ['A2A/GetTask', ['planner', 'portal']],
    ]);
  });
});
