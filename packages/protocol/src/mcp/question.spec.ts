import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../model/json.js';
import type { Message, Part } from '../model/message.js';
import { QUESTIONS_EXTENSION } from '../extension/questions.js';
import type { Task } from '../model/task.js';
import { answerContent, readAnswers } from './answer.js';
import { ANY_ANSWER, fitsForm, flatSchema } from './form.js';
import { elicitationOf, FORM_MEMBER, questionsIn } from './question.js';

function asking(
  parts: readonly Part[],
  metadata?: JsonObject,
  state: Task['status']['state'] = 'TASK_STATE_INPUT_REQUIRED',
): Task {
  const message: Message = {
    messageId: 'q1',
    role: 'ROLE_AGENT',
    parts,
    ...(metadata === undefined ? {} : { metadata }),
  };
  return { id: 't', contextId: 'c', status: { state, timestamp: '', message } };
}

const NAME = { type: 'object', properties: { name: { type: 'string', minLength: 2 } }, required: ['name'] };
const form = (id: string | undefined, title: string): Part => ({
  data: { form: { ...(id === undefined ? {} : { id }), title, schema: NAME } },
});

describe(questionsIn.name, () => {
  it('asks for a text where the skill gave no schema (MCP-ASK-1)', () => {
    const [question] = questionsIn(asking([{ text: 'Go on?' }]));
    expect(question).toEqual({
      mode: 'form',
      key: 'q1',
      text: 'Go on?',
      schema: ANY_ANSWER,
      isListed: false,
      isTyped: false,
    });
    expect(question && elicitationOf(question)).toEqual({
      method: 'elicitation/create',
      params: { mode: 'form', message: 'Go on?', requestedSchema: ANY_ANSWER },
    });
  });

  it('finds forms of the message, and questions that it lists by id', () => {
    expect(questionsIn(asking([{ text: 'Who?' }, form(undefined, 'Title')]))).toMatchObject([
      { key: 'q1', text: 'Who?', schema: NAME },
    ]);
    expect(questionsIn(asking([form('a', 'A?'), form(undefined, 'B?')]))).toMatchObject([
      { key: 'a', text: 'A?' },
      { key: 'q1.1', text: 'B?' },
    ]);
    const listed = {
      [QUESTIONS_EXTENSION]: { questions: [{ id: 'x:1', text: 'X?', schema: NAME }, { text: 'no id' }] },
    };
    expect(questionsIn(asking([{ text: 'Two' }], listed))).toMatchObject([
      { key: 'x:1', text: 'X?', isListed: true, isTyped: true },
    ]);
  });

  it('shows an https address of a login, and no other', () => {
    const login = (url: string): readonly unknown[] =>
      questionsIn(asking([{ text: 'Log in' }, { url }], undefined, 'TASK_STATE_AUTH_REQUIRED'));
    expect(login('https://login.example')).toEqual([
      { mode: 'url', key: 'q1', text: 'Log in', url: 'https://login.example' },
    ]);
    expect(login('http://login.example')).toEqual([]);
  });

  it('asks nothing in any other state', () => {
    expect(questionsIn(asking([{ text: 'x' }], undefined, 'TASK_STATE_WORKING'))).toEqual([]);
  });
});

describe(readAnswers.name, () => {
  const questions = questionsIn(asking([form('a', 'A?'), form('b', 'B?')]));

  it('takes fitting answers, and leaves the others open (MCP-ASK-1)', () => {
    const accept = (content: unknown): JsonObject => ({ action: 'accept', content });
    const read = (responses: JsonObject): unknown => {
      const answers = readAnswers(questions, responses);
      return answers.kind === 'given' ? [[...answers.given.keys()], answers.open.map(({ key }) => key)] : answers.kind;
    };
    expect(read({ a: accept({ name: 'Ann' }), zzz: accept({}) })).toEqual([['a'], ['b']]);
    expect(read({ a: accept({ name: 'A' }), b: 12345 })).toEqual([[], ['a', 'b']]);
    expect(read({ a: { action: 'decline' } })).toBe('declined');
    expect(read({ a: { action: 'cancel' } })).toBe('left');
  });

  it('makes one message of them', () => {
    const both = new Map([
      ['a', { name: 'Ann' }],
      ['b', { name: 'Bob' }],
    ]);
    expect(answerContent(questions, new Map([['a', { name: 'Ann' }]]))).toEqual({
      parts: [{ data: { name: 'Ann' }, mediaType: 'application/json' }],
      metadata: { [FORM_MEMBER]: 'a' },
    });
    expect(answerContent(questions, both)).toMatchObject({
      parts: [{ data: { answers: { a: { name: 'Ann' }, b: { name: 'Bob' } } } }],
    });
    expect(
      answerContent(questionsIn(asking([{ text: 'Go on?' }])), new Map([['q1', { answer: 'yes' }]])),
    ).toMatchObject({ parts: [{ text: 'yes' }] });
  });
});

describe(answerContent.name, () => {
  it('names a listed question by the extension that the service checks, and several by their ids', () => {
    const questions = [
      { id: 't:1.1', text: 'A?', schema: NAME },
      { id: 't:1.2', text: 'B?' },
    ];
    const listed = questionsIn(asking([{ text: 'Two' }], { [QUESTIONS_EXTENSION]: { questions } }));
    const one = new Map<string, JsonObject>([['t:1.2', { answer: 'yes' }]]);
    const metadata = { [QUESTIONS_EXTENSION]: { questionId: 't:1.2' } };
    expect(answerContent(listed, one)).toEqual({ parts: [{ text: 'yes' }], metadata });
    expect(answerContent(listed, new Map([...one, ['t:1.1', { name: 'Ann' }]]))).toEqual({
      parts: [{ data: { answers: { 't:1.1': { name: 'Ann' }, 't:1.2': 'yes' } }, mediaType: 'application/json' }],
    });
  });
});

describe(flatSchema.name, () => {
  it('keeps the keywords that clients show, and refuses other schemas', () => {
    const schema = {
      type: 'object',
      properties: { n: { type: 'integer', minimum: 1, exclusiveMinimum: 0, pattern: 'x' } },
      additionalProperties: false,
    };
    expect(flatSchema(schema)).toEqual({ type: 'object', properties: { n: { type: 'integer', minimum: 1 } } });
    expect(flatSchema({ properties: { deep: { type: 'object', properties: {} } } })).toBeUndefined();
    expect(flatSchema({ properties: { list: { type: 'array', items: { type: 'object' } } } })).toBeUndefined();
    expect(flatSchema({ properties: {} })).toBeUndefined();
  });

  it.each<[JsonObject, unknown, boolean]>([
    [{ type: 'string', enum: ['a', 'b'] }, 'a', true],
    [{ type: 'string', enum: ['a', 'b'] }, 'c', false],
    [{ type: 'string', oneOf: [{ const: 'a', title: 'A' }] }, 'b', false],
    [{ type: 'string', maxLength: 1 }, 'ab', false],
    [{ type: 'integer', minimum: 3 }, 2, false],
    [{ type: 'integer' }, 2.5, false],
    [{ type: 'number', maximum: 3 }, 2.5, true],
    [{ type: 'boolean' }, 'true', false],
    [{ type: 'array', items: { enum: ['a', 'b'] }, minItems: 1 }, ['a', 'b'], true],
    [{ type: 'array', items: { enum: ['a', 'b'] }, minItems: 1 }, [], false],
    [{ type: 'array', items: { anyOf: [{ const: 'a' }] } }, ['b'], false],
  ])('judges %j with %j: %s', (member, value, fits) => {
    expect(fitsForm({ properties: { it: member } }, { it: value })).toBe(fits);
  });
});
