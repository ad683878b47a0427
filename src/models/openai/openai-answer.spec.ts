import { describe, expect, it } from '@jest/globals';
import { MAX_ANSWER_BYTES, OpenAiAnswer } from './openai-answer.js';

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

  it('refuses an unfinished call of a tool', () => {
    const answer = new OpenAiAnswer('stub/stub');
    for (let index = 0; index < 128; index += 1) answer.take(delta({ tool_calls: [{ index }] }));
    answer.take(delta({ tool_calls: [{ index: 0 }] }));
    expect(() => answer.take(delta({ tool_calls: [{ index: 128 }] }))).toThrow('The answer calls more than 128 tools');
  });
});
