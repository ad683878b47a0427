import { describe, expect, it } from '@jest/globals';
import { runSkill } from '@parley/sdk/testing';
import { HelloSkill } from './hello-agent.skill.js';

describe(HelloSkill.name, () => {
  it('greets the world', async () => {
    const events = await runSkill(HelloSkill, 'Hi');
    expect(events).toMatchObject([
      { kind: 'artifact', artifactId: 'greeting', parts: [{ text: 'Hello, ' }], append: false, lastChunk: false },
      { kind: 'artifact', artifactId: 'greeting', parts: [{ text: 'world' }], append: true, lastChunk: true },
      { kind: 'status', state: 'TASK_STATE_COMPLETED' },
    ]);
  });
});
