import { artifact, rejected, type SkillEvent } from '@parley/sdk';
import { Skill, type SkillContext, type SkillHandler } from '@parley/sdk';

/** Returns its input: the smallest skill there is, and the first thing to try. */
@Skill({
  id: 'echo',
  name: 'Echo',
  description: 'Sends every part of the message back as it came.',
  tags: ['test', 'text'],
  examples: ['Hello!'],
  inputModes: ['text/plain', 'application/json', '*/*'],
  outputModes: ['text/plain', 'application/json', '*/*'],
})
export class EchoSkill implements SkillHandler {
  async *run({ messages }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const parts = messages.flatMap((message) => message.parts);
    if (parts.length === 0) {
      yield rejected('There is nothing to echo: the message has no parts.');
      return;
    }
    yield artifact('echo', parts, { name: 'Echo' });
  }
}
