import { Agent } from '@parley/sdk/agent';
import { artifact, type SkillContext, type SkillEvent, type SkillHandler } from '@parley/sdk';

/** Hands a document on by reference, and collects what its children find in shared values. */
@Agent({
  id: 'compare_offers',
  name: 'Compare offers',
  description: 'Reads each offer of a document, and names the lowest price.',
  tags: ['shop', 'agent'],
  agents: ['read_offer'],
  reducers: { prices: 'append', lowest: (one, other) => Math.min(Number(one), Number(other)) },
})
export class CompareOffersAgent implements SkillHandler {
  async *run({ text, artifacts, shared, map, call }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const reference = await artifacts.put('offers', text);
    const count = text.split('\n').length;
    await map(Array.from({ length: count }), (_offer, line) => call('read_offer', { reference, line }));
    const prices = (await shared().get('prices')) as readonly number[];
    yield artifact('result', `${String(await shared().get('lowest'))} of ${prices.join(', ')}`);
  }
}
