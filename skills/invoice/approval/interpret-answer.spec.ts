import { describe, expect, it } from '@jest/globals';
import { interpretAnswer } from './interpret-answer.js';

const text = (said: string) => interpretAnswer({ text: said, data: [] });
const form = (...data: readonly unknown[]) => interpretAnswer({ text: '', data });

describe(interpretAnswer.name, () => {
  it.each([
    'approve',
    'Approved',
    'APPROVED!',
    'yes',
    'Yes, approve.',
    'ok',
    'I approve this payment',
    'Please pay the invoice, thanks',
    'Ja, genehmigt.',
    'Freigegeben',
    'Oui, approuvé',
    "J'approuve le paiement",
    "d'accord",
    '承認します',
    '承認します。処理を続けてください。',
    '承認します。よろしくお願いします。',
  ])('takes %j for an approval', (said) => {
    expect(text(said)).toEqual({ kind: 'approve' });
  });

  it.each([
    'reject',
    'Rejected: wrong account',
    'no',
    'No, the amount is wrong.',
    'Do not pay!',
    'do not approve',
    "I don't approve this",
    'not approved',
    'Nein.',
    'Abgelehnt, falscher Betrag',
    'nicht genehmigt',
    'Non, pas payer',
    'Je refuse',
    '却下します',
    '承認しません',
  ])('takes %j for a rejection and keeps its words', (said) => {
    expect(text(said)).toEqual({ kind: 'reject', comment: said });
  });

  it.each([
    'Who is this from?',
    'what is it for',
    'Is this approved?',
    'approve?',
    'Warum so teuer',
    'Combien',
    '支払いますか？',
  ])('takes %j for a question, never for a decision', (said) => {
    expect(['question', 'unclear']).toContain(text(said).kind);
  });

  it.each([
    '',
    '   ',
    'The weather is fine today',
    'approve if the goods have arrived',
    'I would approve but the amount looks odd',
    'ok let me check with Bob first',
    'yes and no',
    'no problem, approved',
    'No, wait: approved',
    'approved by whom',
    'payment',
    'the invoice please',
    'approval',
    'unapproved',
    'Nobody approves this',
    'Looks good to Anna, ask Ben',
  ])('asks again after %j', (said) => {
    expect(text(said).kind).toBe('unclear');
  });

  it.each([
    [{ decision: 'approve' }, { kind: 'approve' }],
    [{ decision: 'Approved' }, { kind: 'approve' }],
    [
      { decision: 'reject', comment: 'wrong' },
      { kind: 'reject', comment: 'wrong' },
    ],
    [
      { approved: true, comment: 'cost centre 4711' },
      { kind: 'approve', comment: 'cost centre 4711' },
    ],
    [{ approved: false }, { kind: 'reject' }],
  ])('reads the form %j', (data, answer) => {
    expect(form(data)).toEqual(answer);
  });

  it.each([{ decision: 'maybe' }, { decision: true }, { decision: 'reject', approved: true }, { approved: 'yes' }])(
    'does not guess what the form %j means',
    (data) => {
      expect(form(data).kind).toBe('unclear');
    },
  );

  it('does not decide when two forms disagree', () => {
    expect(form({ decision: 'approve' }, { decision: 'reject' }).kind).toBe('unclear');
  });

  it('lets the form decide and takes the text as its comment', () => {
    const answer = interpretAnswer({ text: 'no objections', data: [{ decision: 'approve' }] });
    expect(answer).toEqual({ kind: 'approve', comment: 'no objections' });
  });

  it('ignores data that is no answer to the form', () => {
    expect(interpretAnswer({ text: 'approve', data: [{ hello: 1 }, null, 'x'] })).toEqual({ kind: 'approve' });
  });

  it('cuts a comment that is too long', () => {
    expect(form({ decision: 'reject', comment: 'x'.repeat(5000) })).toMatchObject({ comment: 'x'.repeat(2000) });
  });
});
