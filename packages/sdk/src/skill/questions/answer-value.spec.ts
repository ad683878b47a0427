import { describe, expect, it } from '@jest/globals';
import { answerValue } from './answer-value.js';
import { VERDICT } from './verdict.js';

const said = (text: string) => ({ parts: [{ text }] });
const WORDS = { enum: ['reject', 'approve', 'later'] };

describe(answerValue.name, () => {
  it.each([
    ['承認します。処理を続けてください。', 'approve'],
    ['Ja, genehmigt.', 'approve'],
    [' APPROVED! ', 'approve'],
    ['ｙｅｓ', 'approve'],
    ['却下します', 'reject'],
    ['No, wrong account', 'reject'],
    ['later', 'later'],
    ['{"approved":true}', { approved: true }],
  ])('reads %j, where it is asked for a decision, as %j (S16)', (text, value) => {
    expect(answerValue(said(text), text === 'later' ? WORDS : VERDICT)).toEqual({ value });
    if (typeof value === 'string') expect(answerValue(said(text), WORDS)).toEqual({ value });
  });

  it.each([
    'approve if the goods have arrived',
    'approve?',
    'No, wait: approved',
    'the invoice please',
    '',
    `approve ${'!'.repeat(10_000)}`,
  ])('decides nothing by %j (S16)', (text) => {
    expect(answerValue(said(text), VERDICT)).toHaveProperty('misfits');
  });

  it.each([
    { type: 'string', maxLength: 8 },
    { type: 'boolean' },
    { enum: ['approve', 'defer'] },
    { enum: ['yes'] },
    { type: 'object', properties: { approved: { type: 'boolean' } } },
  ])('turns no words into a decision for %j', (schema) => {
    expect(answerValue(said('Please approve this'), schema)).toHaveProperty('misfits');
  });

  it('gives the whole text where any fits', () => {
    expect(answerValue(said('Yes, approved'), undefined)).toEqual({ value: 'Yes, approved' });
    expect(answerValue(said('Yes, approved'), { type: 'string' })).toEqual({ value: 'Yes, approved' });
  });
});
