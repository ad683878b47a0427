import { describe, expect, it } from '@jest/globals';
import { type AiSdkModel, fromAiSdk } from './ai-sdk.model.js';

const REQUEST = {
  messages: [
    { role: 'system', text: 'Be short.' },
    { role: 'user', text: 'Weather?' },
  ],
  tools: [{ name: 'weather', description: 'Tells the weather', parameters: { type: 'object' } }],
  maxTokens: 9,
} as const;

const OPTIONS = { signal: new AbortController().signal, idempotencyKey: 'k' };

/** Results in the two forms that providers of today have. */
const RESULTS = [
  ['v2', { finishReason: 'tool-calls', usage: { inputTokens: 5, outputTokens: 6 } }],
  ['v3', { finishReason: { unified: 'tool-calls' }, usage: { inputTokens: { total: 5 }, outputTokens: { total: 6 } } }],
] as const;

describe(fromAiSdk.name, () => {
  it.each(RESULTS)('makes one call, in the words of the AI SDK (%s)', async (_version, rest) => {
    const asked: unknown[] = [];
    const model: AiSdkModel = {
      modelId: 'claude',
      doGenerate: (options: unknown) => {
        asked.push(options);
        const call = { type: 'tool-call', toolCallId: 't1', toolName: 'weather', input: '{"city":"Oslo"}' };
        return Promise.resolve({ content: [{ type: 'text', text: 'Let me see.' }, call], ...rest });
      },
    };
    const pieces: string[] = [];
    const reply = await fromAiSdk(model).complete(REQUEST, { ...OPTIONS, onText: (piece) => pieces.push(piece) });
    expect(reply).toEqual({
      text: 'Let me see.',
      toolCalls: [{ id: 't1', name: 'weather', arguments: { city: 'Oslo' } }],
      usage: { input: 5, output: 6 },
      finish: 'tools',
    });
    expect(pieces).toEqual(['Let me see.']);
    expect(asked).toMatchObject([
      {
        prompt: [
          { role: 'system', content: 'Be short.' },
          { role: 'user', content: [{ type: 'text', text: 'Weather?' }] },
        ],
        tools: [{ type: 'function', name: 'weather', inputSchema: { type: 'object' } }],
        maxOutputTokens: 9,
      },
    ]);
  });

  it.each([
    [true, 'unavailable'],
    [false, 'refused'],
  ])('knows whether a failure may pass (%s)', async (isRetryable, kind) => {
    const error = Object.assign(new Error('scripted'), { isRetryable });
    const model = { modelId: 'claude', doGenerate: () => Promise.reject(error) };
    await expect(fromAiSdk(model).complete(REQUEST, OPTIONS)).rejects.toMatchObject({ kind });
  });
});
