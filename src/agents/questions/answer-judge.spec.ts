import { describe, expect, it } from '@jest/globals';
import type { OpenQuestion } from '@parley/protocol/extension/questions.js';
import { isOnePerson, judged, refusalOf } from './answer-judge.js';

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

describe(judged, () => {
  const question = (id: string): OpenQuestion => ({
    ...{ id, taskId: 'task', skillId: 's', path: 's', how: 'ask', until: 1, parts: [{ text: '?' }] },
    state: 'TASK_STATE_INPUT_REQUIRED',
  });
  const answers = (given: object) =>
    judged({ messageId: 'm', role: 'ROLE_USER', parts: [{ data: { answers: given } }] }, [question('task:1.2')]);

  it('passes over answers to questions that are open no longer, and never gives them to another one', () => {
    expect(answers({ 'task:1.1': 'a', 'task:1.2': 'b' })).toMatchObject({
      kind: 'answers',
      answers: [{ question: { id: 'task:1.2' }, value: 'b' }],
    });
    expect(answers({ 'task:1.1': 'a' })).toEqual({ kind: 'unknown' });
    expect(answers({ name: 'a' })).toMatchObject({ kind: 'answers', answers: [{ value: { answers: { name: 'a' } } }] });
  });
});

describe(isOnePerson, () => {
  it('treats a client without a subject as one person', () => {
    expect(isOnePerson({ client: 'a' }, { client: 'a', subject: 'anna' })).toBe(true);
    expect(isOnePerson({ client: 'a' }, { client: 'a' })).toBe(true);
    expect(isOnePerson({ client: 'a' }, { client: 'b' })).toBe(false);
  });
});
