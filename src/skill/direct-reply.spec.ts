import { describe, expect, it } from '@jest/globals';
import { directReply } from './direct-reply.js';
import { artifact, completed, inputRequired, type SkillEvent, working } from '@parley/sdk/skill/events.js';
import { SkillFailure } from '@parley/sdk/skill/skill.js';

async function* saying(...events: readonly SkillEvent[]): AsyncGenerator<SkillEvent, void, void> {
  yield* events;
}

describe(directReply.name, () => {
  it('answers with the artifacts and the last message, without the progress', async () => {
    expect(await directReply(saying(working('…'), artifact('a', 'One'), completed('Two', { m: 1 })))).toEqual({
      parts: [{ text: 'One' }, { text: 'Two' }],
      metadata: { m: 1 },
    });
  });

  it('ignores events after the last message', async () => {
    const reply = await directReply(saying(inputRequired('Which city?'), completed('never')));
    expect(reply).toEqual({ parts: [{ text: 'Which city?' }] });
  });

  it('answers with the text of a SkillFailure, and rethrows other errors', async () => {
    const failing = async function* (error: Error): AsyncGenerator<SkillEvent, void, void> {
      yield working('…');
      throw error;
    };
    expect(await directReply(failing(new SkillFailure('No such city')))).toEqual({ parts: [{ text: 'No such city' }] });
    await expect(directReply(failing(new TypeError('x')))).rejects.toThrow(TypeError);
  });

  it('refuses an empty answer (InvalidAgentResponse)', async () => {
    await expect(directReply(saying(working('…')))).rejects.toMatchObject({ kind: 'InvalidAgentResponse' });
  });
});
