import { describe, expect, it } from '@jest/globals';
import { CallFailed } from '@parley/sdk';
import { runSkill } from '@parley/sdk/testing';
import { DigestSourcesSkill } from './digest-sources.skill.js';

describe(DigestSourcesSkill.name, () => {
  it('digests what can be read, and says what cannot', async () => {
    const summarize = (source: unknown) => {
      if (source === 'b') throw new CallFailed('summarize', 'failed', 'nothing there');
      return `short ${String(source)}`;
    };
    const events = await runSkill(new DigestSourcesSkill(), { text: 'a\nb\nc', children: { summarize } });
    expect(events.map(({ parts }) => parts)).toEqual([
      [{ text: '2 of 3 are summarized.' }],
      [{ text: 'short a\nshort c\nThe call of "summarize" has no result: nothing there' }],
    ]);
  });
});
