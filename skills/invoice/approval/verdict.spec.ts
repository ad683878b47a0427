import { describe, expect, it } from '@jest/globals';
import type { SkillSender } from '@parley/sdk';
import type { Answer } from './interpret-answer.js';
import { verdictOf } from './verdict.js';

const ann: SkillSender = { tenant: 't', client: 'c', subject: 'ann', scopes: [] };
const bob: SkillSender = { tenant: 't', client: 'c', subject: 'bob', scopes: [] };
const approve: Answer = { kind: 'approve' };
const reject: Answer = { kind: 'reject', comment: 'no' };
const wait: Answer = { kind: 'unclear', why: 'That was not understood as a decision.' };
const ask: Answer = { kind: 'question', text: 'Why?' };

const onlyAnn = ({ subject }: SkillSender): boolean => subject === 'ann';

describe(verdictOf.name, () => {
  it('is decided by the first permitted sender, when all permitted senders agree', () => {
    const answers = [
      { answer: reject, sender: bob },
      { answer: approve, sender: ann },
      { answer: approve, sender: ann },
    ];
    expect(verdictOf(answers, onlyAnn)).toEqual({ kind: 'decided', answer: approve, by: ann });
  });

  it.each([
    ['contradict each other', [approve, reject], 'do not say one thing'],
    ['take one back', [approve, wait], 'not understood'],
  ] as const)('asks again when answers %s', (_, answers, why) => {
    const verdict = verdictOf(
      answers.map((answer) => ({ answer, sender: ann })),
      onlyAnn,
    );
    expect(verdict).toMatchObject({ kind: 'unclear', why: expect.stringContaining(why) });
  });

  it('lets anyone ask, and answers a sender who may not decide', () => {
    expect(verdictOf([{ answer: ask, sender: bob }], onlyAnn)).toEqual(ask);
    expect(verdictOf([{ answer: approve, sender: bob }], onlyAnn)).toMatchObject({
      why: expect.stringContaining('not logged in'),
    });
  });
});
