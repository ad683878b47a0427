import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { runFlow } from '@parley/sdk/testing';
import { SummarizeTextSkill } from '../summarize-text.skill.js';
import { PolishSummaryAgent } from './polish-summary.agent.js';
import { ReviewSummarySkill } from './review-summary.skill.js';

const essay = readFileSync(new URL('../../../scripts/demo/text.txt', import.meta.url), 'utf8');
const children = { summarize_text: SummarizeTextSkill, review_summary: ReviewSummarySkill };

describe(PolishSummaryAgent.name, () => {
  it('makes drafts until the review accepts one, and says how many (O-28, O-29)', async () => {
    const { state, output, artifacts, calls } = await runFlow(PolishSummaryAgent, {
      text: essay,
      data: [{ maxWords: 60 }],
      children,
    });
    expect(state).toBe('completed');
    expect(output).toMatchObject({ accepted: true, stillWrong: [], rounds: expect.any(Number) });
    const { rounds, words } = output as { rounds: number; words: number };
    expect(rounds).toBeGreaterThan(1);
    expect(words).toBeLessThanOrEqual(60);
    expect(calls).toHaveLength(2 * rounds);
    const [text] = artifacts[0]?.parts ?? [];
    expect(essay.replace(/\s+/g, ' ')).toContain('text' in text! ? text.text.split('. ')[0] : 'no text');
  });

  it('lists the remaining faults after four rounds (O-28)', async () => {
    const { output, text } = await runFlow(PolishSummaryAgent, { text: essay, data: [{ maxWords: 20 }], children });
    expect(text).toBe('Not accepted after 4 rounds');
    expect(output).toMatchObject({ accepted: false, rounds: 4 });
    expect((output as { stillWrong: readonly unknown[] }).stillWrong.length).toBeGreaterThan(0);
  });

  it('gives the same bytes in three runs, with and without crashes (F18, O-81)', async () => {
    const runs = await Promise.all(
      [undefined, 'each' as const, 3].map((crashAfter) =>
        runFlow(PolishSummaryAgent, { text: essay, children, ...(crashAfter === undefined ? {} : { crashAfter }) }),
      ),
    );
    expect(new Set(runs.map(({ events }) => JSON.stringify(events))).size).toBe(1);
  });

  it('fails with the reason of the skill that cannot read the text', async () => {
    expect(await runFlow(PolishSummaryAgent, { text: 'x '.repeat(100_001), children })).toMatchObject({
      state: 'failed',
      text: expect.stringContaining('too long'),
    });
  });

  it('accepts a short text, which is its own summary (S6)', async () => {
    const text = 'Dogs bark loudly. Cats sleep all day. The birds sing early in the morning. Fish swim.';
    const { state, output, artifacts } = await runFlow(PolishSummaryAgent, { text, children });
    expect(state).toBe('completed');
    expect(output).toMatchObject({ accepted: true, rounds: 1 });
    expect(artifacts[0]?.parts[0]).toMatchObject({ text });
  });
});
