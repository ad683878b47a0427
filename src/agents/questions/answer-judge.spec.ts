import { describe, expect, it } from '@jest/globals';
import { isOnePerson, refusalOf } from './answer-judge.js';

const ANNA = { client: 'console', subject: 'anna', scopes: ['pay'] };

describe(refusalOf, () => {
  it.each([
    ['a question without approvers', {}, undefined],
    ['a scope that the caller has', { approvers: { scopes: ['pay'] } }, undefined],
    ['a scope that it lacks', { approvers: { scopes: ['pay', 'more'] } }, 'approvers'],
    ['its client', { approvers: { clients: ['console'] } }, undefined],
    ['another client', { approvers: { clients: ['bank'] } }, 'approvers'],
    ['another person', { approvers: { subjects: ['boss'] } }, 'approvers'],
    [
      'four eyes, and it began the task by another client',
      { startedBy: { client: 'bank', subject: 'anna' } },
      'four-eyes',
    ],
    ['four eyes, and another person began the task', { startedBy: { client: 'console', subject: 'boss' } }, undefined],
    [
      'a second answer, and it gave the first',
      { votes: [{ by: { client: 'cli', subject: 'anna' }, value: 1, at: 0 }] },
      'voted',
    ],
    [
      'a second answer, and another person gave the first',
      { votes: [{ by: { client: 'console', subject: 'boss' }, value: 1, at: 0 }] },
      undefined,
    ],
  ] as const)('%s', (_name, question, refused) => {
    expect(refusalOf(ANNA, question)).toBe(refused);
  });
});

describe(isOnePerson, () => {
  it('treats a client without a subject as one person', () => {
    expect(isOnePerson({ client: 'a' }, { client: 'a', subject: 'anna' })).toBe(true);
    expect(isOnePerson({ client: 'a' }, { client: 'a' })).toBe(true);
    expect(isOnePerson({ client: 'a' }, { client: 'b' })).toBe(false);
  });
});
