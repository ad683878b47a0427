import { describe, expect, it } from '@jest/globals';
import { Conversation, streamSkill } from '@parley/sdk/testing';
import { PackListSkill } from './pack-list.skill.js';

describe(PackListSkill.name, () => {
  it('asks for the days, remembers the place and streams the list (SEED-73)', async () => {
    const conversation = new Conversation(PackListSkill);
    expect(await conversation.say('Oslo')).toMatchObject([
      { state: 'TASK_STATE_INPUT_REQUIRED', parts: [{ text: 'For how many days in Oslo?' }] },
    ]);
    expect(await conversation.say('3 days')).toMatchObject([
      { state: 'TASK_STATE_WORKING', parts: [{ text: 'Packing for Oslo' }] },
      { artifactId: 'list', parts: [{ text: '- 3 × shirt\n' }], lastChunk: false },
      { artifactId: 'list', parts: [{ text: '- 3 × pair of socks\n' }], lastChunk: false },
      { artifactId: 'list', parts: [{ text: '- 3 × book\n' }], lastChunk: true },
    ]);
  });

  it('stops when it is canceled', async () => {
    const controller = new AbortController();
    const events = streamSkill(PackListSkill, { text: 'Oslo, 3 days', signal: controller.signal });
    await events.next();
    controller.abort();
    await expect(events.next()).rejects.toMatchObject({ name: 'AbortError' });
  });
});
