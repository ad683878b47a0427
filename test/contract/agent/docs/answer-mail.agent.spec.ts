import { describe, expect, it } from '@jest/globals';
import { runFlow } from '@parley/sdk/testing';
import { AnswerMailAgent, mailbox } from './answer-mail.agent.js';

const children = {
  classify_mail: (mail: unknown) => (JSON.stringify(mail).includes('%') ? 'advertisement' : 'question'),
  draft_answer: (asked: unknown) => `Dear customer, ${JSON.stringify(asked)}`,
};

describe(AnswerMailAgent.name, () => {
  it('drafts again after a no, and sends once, wherever the process crashes', async () => {
    const answers = [{ approved: false, reason: 'shorter' }, 'approve'];
    const run = await runFlow(AnswerMailAgent, { text: 'Where is it?', children, answers, crashAfter: 'each' });
    expect(run.state).toBe('completed');
    expect(run.calls.map(({ skillId }) => skillId)).toEqual(['classify_mail', 'draft_answer', 'draft_answer']);
    expect([...mailbox.sent.values()]).toHaveLength(1);
  });

  it('answers no advertisement', async () => {
    expect(await runFlow(AnswerMailAgent, { text: '50 % off', children })).toMatchObject({ state: 'rejected' });
  });
});
