import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Conversation } from '@parley/sdk/testing';
import { PackListSkill } from './pack-list.skill.js';

void test('asks for the days, remembers the place and streams the list', async () => {
  const conversation = new Conversation(PackListSkill);
  const [question] = await conversation.say('Oslo');
  assert.deepEqual(question?.parts, [{ text: 'For how many days in Oslo?' }]);
  const texts = (await conversation.say('3 days')).flatMap(({ parts }) =>
    parts.map((part) => 'text' in part && part.text),
  );
  assert.deepEqual(texts, ['Packing for Oslo', '- 3 × shirt\n', '- 3 × pair of socks\n', '- 3 × book\n']);
});
