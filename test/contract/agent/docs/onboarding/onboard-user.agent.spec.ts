import { describe, expect, it } from '@jest/globals';
import { runFlow } from '@parley/sdk/testing';
import { OnboardUserAgent } from './onboard-user.agent.js';
import { CollectUserSkill, ValidateEmailSkill } from './user.skill.js';

const children = { collect_user: CollectUserSkill, validate_email: ValidateEmailSkill };

describe(OnboardUserAgent.name, () => {
  it('collects, then validates; a crash after each step repeats none of them', async () => {
    const run = await runFlow(OnboardUserAgent, { text: 'Ada, ada@example.com', children, crashAfter: 'each' });
    expect(run).toMatchObject({ state: 'completed', artifacts: [{ parts: [{ text: 'Welcome, Ada!' }] }], runs: 3 });
    expect(run.calls.map(({ key }) => key)).toEqual(['user', 'check']);
  });

  it('refuses what is no address', async () => {
    const run = await runFlow(OnboardUserAgent, { text: 'Ada, nowhere', children });
    expect(run).toMatchObject({ state: 'rejected', text: 'nowhere is no e-mail address.' });
  });

  it('can be tested with answers in place of skills', async () => {
    const answers = { collect_user: () => ({ name: 'Ada', email: 'x' }), validate_email: () => ({ isValid: true }) };
    expect((await runFlow(OnboardUserAgent, { text: '', children: answers })).state).toBe('completed');
  });
});
