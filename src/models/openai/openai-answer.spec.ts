import { describe, expect, it } from '@jest/globals';
import { MAX_ANSWER_BYTES } from '@parley/sdk/model/provider-answer.js';
import { OpenAiAnswer } from './openai-answer.js';

const delta = (given: object): string => JSON.stringify({ choices: [{ delta: given }] });

describe(OpenAiAnswer.name, () => {
  it.each([
    ['text', (piece: string) => ({ content: piece })],
    ['arguments', (piece: string) => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] })],
  ])('refuses an answer without an end in its %s', (_where, given) => {
    const answer = new OpenAiAnswer('stub/stub');
    const piece = delta(given('x'.repeat(MAX_ANSWER_BYTES / 4)));
    for (let count = 0; count < 4; count += 1) answer.take(piece);
    expect(() => answer.take(piece)).toThrow('The answer has more than 8388608 bytes');
  });

  it.each([
    ['ids', (piece: string) => ({ id: piece })],
    ['marks', (piece: string) => ({ extra_content: { mark: piece } })],
  ])('refuses an answer whose calls have endless %s', (_what, given) => {
    const answer = new OpenAiAnswer('stub/stub');
    const piece = 'x'.repeat(MAX_ANSWER_BYTES / 4);
    const take = (index: number): void => answer.take(delta({ tool_calls: [{ index, ...given(piece) }] }));
    for (let index = 0; index < 3; index += 1) take(index);
    expect(() => [3, 4].forEach(take)).toThrow('The answer has more than 8388608 bytes');
  });

  it('keeps reasoning of many pieces in time that grows with their number', () => {
    const answer = new OpenAiAnswer('stub/stub');
    const piece = delta({ reasoning_details: [{ text: 'x' }] });
    const tookMs = (pieces: number): number => {
      const began = performance.now();
      for (let count = 0; count < pieces; count += 1) answer.take(piece);
      return performance.now() - began;
    };
    tookMs(1_000);
    expect(tookMs(100_000)).toBeLessThan(10_000);
  });

  it('refuses an unfinished call of a tool', () => {
    const answer = new OpenAiAnswer('stub/stub');
    for (let index = 0; index < 128; index += 1) answer.take(delta({ tool_calls: [{ index }] }));
    answer.take(delta({ tool_calls: [{ index: 0 }] }));
    expect(() => answer.take(delta({ tool_calls: [{ index: 128 }] }))).toThrow('The answer calls more than 128 tools');
  });
});
