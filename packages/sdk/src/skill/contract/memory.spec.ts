import { IsString } from 'class-validator';
import { describe, expect, it } from '@jest/globals';
import { artifact, type SkillEvent } from '../events.js';
import { Skill, type SkillContext, type SkillHandler } from '../skill.js';
import { runSkill } from '../../testing/run-skill.js';
import { catalogOptions } from '../../../../../src/skill/skill-catalog.js';
import { skillSchemaOf } from './skill-schema.js';

const card = { name: 'Lent', description: 'Says what it was lent.', tags: ['test'] };

const LENT = { 'summary.length': 'short', 'payment.card_number': '4', seen: 1, summary: 2 };

/** The lent values that a skill gets. */
async function lentTo({ shared }: SkillContext): Promise<object> {
  const read = await Promise.all(Object.keys(LENT).map(async (key) => [key, await shared('caller').get(key)] as const));
  return Object.fromEntries(read.filter(([, value]) => value !== undefined));
}

class Nothing {
  @IsString()
  readonly note: string = '';
}

const memory = { reads: ['summary.*', 'seen'], writes: ['seen', 'count.*'] };
const conditions = { told: { type: 'object', required: ['memory'] } };

@Skill({ ...card, id: 'lent', memory, conditions, effects: 'none', input: Nothing })
class LentSkill implements SkillHandler {
  async *run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const { shared, text } = context;
    if (text !== '') await shared('context').set(text, true);
    const read = await Promise.all(['seen', 'count.a', 'secret'].map((name) => shared('context').get(name)));
    const lent = await lentTo(context);
    yield artifact('told', [{ data: { lent, read } }]);
  }
}

@Skill({ ...card, id: 'free' })
class FreeSkill implements SkillHandler {
  async *run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    yield artifact('told', [{ data: await lentTo(context) }]);
  }
}

const told = async (events: Promise<readonly SkillEvent[]>): Promise<unknown> => (await events).at(-1)?.parts;

describe('the memory of a contract', () => {
  it('limits the lent memory that a skill gets; without a declaration it gets nothing (O-04)', async () => {
    const contextValues = new Map<string, unknown>([
      ['seen', 1],
      ['count.a', 2],
      ['secret', 3],
    ]);
    expect(await told(runSkill(LentSkill, { memory: LENT, contextValues }))).toEqual([
      { data: { lent: { 'summary.length': 'short', seen: 1 }, read: [1, 2, undefined] } },
    ]);
    expect(await told(runSkill(FreeSkill, { memory: LENT }))).toEqual([{ data: {} }]);
  });

  it('limits the state that a skill may set in its context (O-04)', async () => {
    const contextValues = new Map<string, unknown>();
    await runSkill(LentSkill, { text: 'count.calls', contextValues });
    expect([...contextValues.keys()]).toEqual(['count.calls']);
    await expect(runSkill(LentSkill, { text: 'secret' })).rejects.toMatchObject({ kind: 'InvalidAgentResponse' });
  });

  it('is shown with conditions and effects, and checked at the start (O-04)', () => {
    const [options] = catalogOptions([LentSkill]);
    expect(options && skillSchemaOf(options)).toMatchObject({ memory, conditions, effects: 'none' });
    @Skill({ ...card, id: 'wrong', memory: { reads: ['*'.repeat(9)] } })
    class WrongSkill extends FreeSkill {}
    expect(() => catalogOptions([WrongSkill])).toThrow('which is no pattern');
  });
});
