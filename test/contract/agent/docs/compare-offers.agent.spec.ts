import { describe, expect, it } from '@jest/globals';
import { completed, Skill, type SkillContext, type SkillEvent, type SkillHandler } from '@parley/sdk';
import { runFlow } from '@parley/sdk/testing';
import { CompareOffersAgent } from './compare-offers.agent.js';

@Skill({ id: 'read_offer', name: 'Read an offer', description: 'Reads one line.', tags: ['shop'] })
class ReadOfferSkill implements SkillHandler {
  async *run({ data, artifacts, shared }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const { reference, line } = data[0] as { readonly reference: string; readonly line: number };
    const offers = await artifacts.get(reference);
    const price = Number(offers?.text.split('\n')[line]);
    await shared().set('prices', [price]);
    await shared().set('lowest', price);
    yield completed('read');
  }
}

describe(CompareOffersAgent.name, () => {
  it('collects what its children share, wherever the process crashes', async () => {
    const children = { read_offer: ReadOfferSkill };
    const run = await runFlow(CompareOffersAgent, { text: '30\n20\n40', children, crashAfter: 'each' });
    expect(run).toMatchObject({ state: 'completed', artifacts: [{ parts: [{ text: '20 of 30, 20, 40' }] }] });
  });
});
