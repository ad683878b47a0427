import { describe, expect, it } from '@jest/globals';
import { A2AError } from '@parley/protocol/model/errors.js';
import { CONTEXT_EXTENSION } from '@parley/protocol/extension/context-extension.js';
import { contextViolations, messageOfIntent, readIntentParams, readRunRequest } from './intent-request.js';

const INTENT = { id: 'summarize_text', takesData: true };

function fieldsOf(work: () => unknown): readonly string[] {
  try {
    work();
  } catch (error) {
    if (error instanceof A2AError) return error.violations.map(({ field }) => field);
  }
  return [];
}

describe(readRunRequest.name, () => {
  it('reads the body of the article, with inputs defaulting to none (O-02)', () => {
    const body = { intent: 'a', inputs: { review: 'r' }, memory: {}, context: { user_id: 'u' } };
    expect(readRunRequest(body)).toEqual(body);
    expect(readRunRequest({ intent: 'a' })).toEqual({ intent: 'a', inputs: {} });
  });

  it.each([
    [{ intent: 'do_something', data: 'handle it' }, ['data']],
    [{ intent: '', inputs: 1, memory: [], context: null }, ['inputs', 'memory', 'context']],
    [{ intent: 5 }, ['intent']],
    [
      { intent: 'a', context: { scope: 'x', caller: '', permissions: ['', 1], debug_mode: 'yes' } },
      ['context.scope', 'context.caller', 'context.permissions', 'context.debug_mode'],
    ],
    [{ intent: 'a', memory: {}, context: { memory: {} } }, ['context.memory']],
    [
      { intent: 'a', context: { caller: 'x'.repeat(257), timestamp: '2025-07-04' } },
      ['context.caller', 'context.timestamp'],
    ],
  ])('refuses %j with every path (O-08)', (body, fields) => {
    expect(fieldsOf(() => readRunRequest(body))).toEqual(fields);
  });

  it('refuses anything but an object', () => {
    expect(() => readRunRequest([{}])).toThrow('Batch requests');
    expect(() => readRunRequest('x')).toThrow('must be a JSON object');
  });
});

describe(readIntentParams.name, () => {
  it('accepts absent params as no inputs, and refuses an intent among them', () => {
    expect(readIntentParams(undefined)).toEqual({ inputs: {} });
    expect(fieldsOf(() => readIntentParams({ intent: 'a' }))).toEqual(['intent']);
  });
});

describe(messageOfIntent.name, () => {
  it('builds the message for SendMessage: a data part, the skill, the context (O-01)', () => {
    const params = { inputs: { text: 'x' }, memory: { 'summary.length': 'short' }, context: { request_id: 'r-1' } };
    expect(messageOfIntent(INTENT, params, () => 'new')).toEqual({
      message: {
        messageId: 'r-1',
        role: 'ROLE_USER',
        parts: [{ data: { text: 'x' } }],
        metadata: {
          skillId: 'summarize_text',
          [CONTEXT_EXTENSION]: { request_id: 'r-1', memory: { 'summary.length': 'short' } },
        },
      },
    });
  });

  it('sends inputs in the metadata to a skill without data input, and generates a missing id', () => {
    const { message } = messageOfIntent({ ...INTENT, takesData: false }, { inputs: { a: 1 } }, () => 'new');
    expect(message).toMatchObject({ messageId: 'new', parts: [{ text: '' }], metadata: { input: { a: 1 } } });
    expect(message.metadata).not.toHaveProperty([CONTEXT_EXTENSION]);
  });
});

describe(contextViolations.name, () => {
  it('checks the context of a message in the same way', () => {
    expect(contextViolations({ caller: 'agent:a', memory: { a: 1 } })).toEqual([]);
    expect(contextViolations([])).toMatchObject([{ field: '' }]);
    expect(contextViolations({ caller: 5 })).toMatchObject([{ field: '.caller' }]);
  });
});
