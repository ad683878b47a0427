import {
  chunk,
  inputRequired,
  Skill,
  type SkillContext,
  type SkillEvent,
  type SkillHandler,
  working,
} from '@parley/sdk';

const THINGS = ['shirt', 'pair of socks', 'book'];

/** Writes a packing list, once it knows for how many days. */
@Skill({
  id: 'pack_list',
  name: 'Pack list',
  description: 'Writes a packing list for a journey; asks for how many days when the message does not say.',
  tags: ['travel'],
  examples: ['Oslo', 'Oslo, 3 days'],
})
export class PackListSkill implements SkillHandler {
  async *run({ text, state, step, sleep }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const days = /\d+/.exec(text)?.[0];
    if (days === undefined) {
      await state.set('place', text);
      yield inputRequired(`For how many days in ${text}?`);
      return;
    }
    const place = await state.get('place');
    yield working(typeof place === 'string' ? `Packing for ${place}` : 'Packing');
    for (const thing of THINGS) {
      const line = await step(`pack ${thing}`, () => Promise.resolve(`- ${days} × ${thing}\n`));
      yield chunk('list', line, { name: 'Packing list', last: thing === THINGS.at(-1) });
      await sleep(1000);
    }
  }
}
