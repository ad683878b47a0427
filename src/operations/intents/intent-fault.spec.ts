import { describe, expect, it } from '@jest/globals';
import { A2AError, invalidParams } from '@parley/protocol/model/errors.js';
import { faultOf, faultOfAnswer } from './intent-fault.js';

const wrong = (field: string, description: string): A2AError => invalidParams([{ field, description }]);

describe(faultOf.name, () => {
  it.each([
    [
      'inputs.text',
      {},
      'message.parts[0].data.text',
      'text must be a string',
      "Missing required field 'text' in inputs.",
    ],
    [
      'inputs.length',
      { inputs: { length: 'x' } },
      'message.parts[0].data.length',
      'length must be short',
      "Invalid field 'length' in inputs: must be short.",
    ],
    [
      'inputs.tone',
      { inputs: { tone: 1 } },
      'message.metadata.input.tone',
      'is not a known field',
      "Unknown field 'tone' in inputs.",
    ],
    [
      'inputs.lines[1].sum',
      { inputs: { lines: [{ sum: 1 }, {}] } },
      'message.parts[0].data.lines[1].sum',
      'must be given',
      "Missing required field 'lines[1].sum' in inputs.",
    ],
    [
      'context.request_id',
      { context: { request_id: 'a' } },
      'message.messageId',
      'was used before',
      "Invalid field 'request_id' in context: was used before.",
    ],
    ['data', { data: 1 }, 'data', 'is not a known field', "Unknown field 'data' in params."],
  ])('names %s as the caller knows it (SEED-33)', (path, given, field, description, message) => {
    const fault = faultOf(wrong(field, description), given, 'rpc');
    expect([fault.message, fault.data.violations]).toEqual([message, [{ field: path, description }]]);
  });

  it('has the spelling of the article for each endpoint, and lists missing fields first (SEED-31, SEED-33)', () => {
    const error = invalidParams([
      { field: 'message.parts[0].data.length', description: 'length must be short' },
      { field: 'message.parts[0].data.text', description: 'text must be a string' },
    ]);
    const given = { inputs: { length: 'x' } };
    expect(faultOf(error, given, 'run').message).toBe("Missing required field: 'text'");
    expect(faultOf(error, given, 'rpc').message).toBe("Missing required field 'text' in inputs.");
    expect(faultOf(wrong('message.parts[0].data.length', 'length must be short'), given, 'run').message).toBe(
      "Invalid field: 'length' must be short",
    );
  });

  it.each([
    ['RateLimited', 2, true],
    ['Unavailable', 1, true],
    ['InternalError', undefined, false],
    ['PermissionDenied', undefined, false],
    ['InvalidParams', undefined, false],
  ] as const)('says whether and when to try again: %s (O-06)', (kind, seconds, retryable) => {
    const error = new A2AError(kind, 'No.', {
      metadata: { reference: 'r-1', taskId: 't-1' },
      ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
    });
    expect(faultOf(error, {}, 'run')).toEqual({
      message: 'No.',
      data: {
        ...{ retryable, reference: 'r-1', taskId: 't-1', reason: kind },
        ...(seconds === undefined ? {} : { retryAfterMs: seconds * 1000 }),
      },
    });
  });
});

describe(faultOfAnswer.name, () => {
  const facts = { taskId: 't', contextId: 'c', status: 'TASK_STATE_WORKING' } as const;

  it('is retryable only with a request_id: without one a retry would begin a second task (O-06)', () => {
    expect(faultOfAnswer({ kind: 'running', ...facts }, true).data).toMatchObject({
      retryable: true,
      retryAfterMs: 1000,
    });
    expect(faultOfAnswer({ kind: 'running', ...facts }, false).data).not.toHaveProperty('retryAfterMs');
  });

  it('has the question, and a default text when the task has none', () => {
    const parts = [{ text: 'Approve?' }];
    expect(faultOfAnswer({ kind: 'asks', text: 'Approve?', parts, ...facts }, true)).toMatchObject({
      message: 'Approve?',
      data: { retryable: false, question: parts, reason: 'InputRequired' },
    });
    expect(faultOfAnswer({ kind: 'failed', text: '', ...facts }, true).message).toBe(
      'The task has ended without a result.',
    );
  });
});
