import { describe, expect, it } from '@jest/globals';
import { IsInt } from 'class-validator';
import { artifact, chunk, type SkillEvent } from '../events.js';
import { Skill, type SkillContext, type SkillHandler } from '../skill.js';
import { aContext, runSkill } from '../../testing/run-skill.js';
import { ContractedSkill } from './contracted-skill.js';

class Count {
  @IsInt()
  readonly count!: number;
}

const options = { id: 'count', name: 'Count', description: 'Counts', tags: [], input: Count, output: Count };

@Skill(options)
class CountSkill implements SkillHandler {
  ended = false;

  async *run({ input }: SkillContext<Count>): AsyncGenerator<SkillEvent, void, void> {
    try {
      yield artifact('note', 'A text is free');
      yield chunk('rows', [{ data: 'so is a chunk' }]);
      yield artifact('count', [{ data: { count: input.count / 2 } }]);
    } finally {
      this.ended = true;
    }
  }
}

describe(ContractedSkill.name, () => {
  it('hands the skill its input and lets fitting artifacts through', async () => {
    const events = await runSkill(CountSkill, { data: [{ count: 4 }] });
    expect(events.at(-1)?.parts).toEqual([{ data: { count: 2 } }]);
    expect(events).toHaveLength(3);
  });

  it('stops a skill whose artifact does not fit (InvalidAgentResponse) (SEED-34)', async () => {
    const skill = new CountSkill();
    const seen: SkillEvent[] = [];
    const run = async () => {
      for await (const event of new ContractedSkill(options, skill).run(aContext({ data: [{ count: 3 }] }))) {
        seen.push(event);
      }
    };
    await expect(run()).rejects.toMatchObject({
      kind: 'InvalidAgentResponse',
      message: 'The skill gave an artifact "count" that breaks its contract',
      violations: [{ field: 'parts[0].data.count', description: 'count must be an integer number' }],
    });
    expect(seen).toHaveLength(2);
    expect(skill.ended).toBe(true);
  });

  it('gives the input of the first turn in every turn', async () => {
    const first = { messageId: '1', role: 'ROLE_USER', parts: [{ data: { count: 10 } }] } as const;
    const events = await runSkill(CountSkill, { text: 'go on', history: [first], turn: 2 });
    expect(events.at(-1)?.parts).toEqual([{ data: { count: 5 } }]);
  });

  it('fails a task whose message no longer fits', async () => {
    const run = new ContractedSkill(options, new CountSkill()).run(aContext({ data: [{ count: 'x' }] }));
    await expect(run.next()).rejects.toMatchObject({ name: 'SkillFailure' });
  });
});
