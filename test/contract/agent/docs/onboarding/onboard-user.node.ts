import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runFlow } from '@parley/sdk/testing';
import { OnboardUserAgent } from './onboard-user.agent.js';
import { CollectUserSkill, ValidateEmailSkill } from './user.skill.js';

const children = { collect_user: CollectUserSkill, validate_email: ValidateEmailSkill };

void test('collects, then validates; a crash after each step repeats none of them', async () => {
  const run = await runFlow(OnboardUserAgent, { text: 'Ada, ada@example.com', children, crashAfter: 'each' });
  assert.deepEqual(run.artifacts[0]?.parts, [{ text: 'Welcome, Ada!' }]);
  assert.deepEqual(
    run.calls.map(({ key }) => key),
    ['user', 'check'],
  );
});

void test('can be tested with answers in place of skills', async () => {
  const answers = { collect_user: () => ({ name: 'Ada', email: 'x' }), validate_email: () => ({ isValid: true }) };
  const { state } = await runFlow(OnboardUserAgent, { text: '', children: answers });
  assert.equal(state, 'completed');
});
