import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { parseKeyRing } from '../../../secrets/key-ring.js';
import { SecretBox } from '../../../secrets/secret-box.js';
import { Sessions, taskNameOf } from '../session/sessions.js';
import { eventPrefix, readEventId } from './mcp-reply.js';
import { ProgressRate } from './progress-rate.js';
import { openState, sealState } from './request-state.js';
import { Seals } from './seals.js';

const seals = new Seals(new SecretBox(parseKeyRing(`k:${randomBytes(32).toString('base64')}`)));
const call = { owner: 'default/client:a', tool: 'echo', args: { b: 1, a: 2 } };
const state = { taskId: 't', questions: [], given: { x: 1 } };

afterEach(() => {
  jest.useRealTimers();
});

describe(openState.name, () => {
  it('opens a state for the call that it was made for, whatever the order of its arguments (MCP-ASK-2)', () => {
    const sealed = sealState(seals, state, call);
    expect(openState(seals, sealed, { ...call, args: { a: 2, b: 1 } })).toEqual(state);
  });

  it.each([
    ['another caller', { owner: 'default/client:b' }],
    ['another tool', { tool: 'other' }],
    ['other arguments', { args: { a: 2 } }],
  ])('refuses it for %s (MCP-SEC-5)', (_name, other) => {
    const sealed = sealState(seals, state, call);
    expect(() => openState(seals, sealed, { ...call, ...other })).toThrow(
      'The request state is not valid for this call',
    );
  });

  it('refuses it with any character changed, and for other kinds of texts (MCP-SEC-5)', () => {
    const sealed = sealState(seals, state, call);
    for (let at = 0; at < sealed.length; at += 1) {
      const forged = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
      expect(() => openState(seals, forged, call)).toThrow();
    }
    for (const other of [`${sealed}-TAMPERED`, '', 7, seals.seal('session', state, call.owner)]) {
      expect(() => openState(seals, other, call)).toThrow();
    }
  });

  it('is valid for ten minutes', () => {
    jest.useFakeTimers();
    const sealed = sealState(seals, state, call);
    jest.advanceTimersByTime(599_000);
    expect(openState(seals, sealed, call)).toEqual(state);
    jest.advanceTimersByTime(2_000);
    expect(() => openState(seals, sealed, call)).toThrow();
  });
});

describe(Sessions.name, () => {
  const sessions = new Sessions(seals);

  it('contains all its data in its id, in visible ASCII (MCP-SESSION-1)', () => {
    const { id, revision } = sessions.begin('2025-06-18', { elicitation: { form: {} } }, call.owner);
    expect(revision).toBe('2025-06-18');
    expect(id).toMatch(/^[\x21-\x7e]+$/);
    expect(new Sessions(seals).open(id, call.owner)).toMatchObject({
      revision,
      capabilities: { form: true, url: false },
    });
  });

  it('is unknown to other callers, and after a day (MCP-SEC-4)', () => {
    jest.useFakeTimers();
    const { id } = sessions.begin('2025-11-25', {}, call.owner);
    expect(() => sessions.open(id, 'default/client:b')).toThrow('Session not found');
    jest.advanceTimersByTime(86_401_000);
    expect(() => sessions.open(id, call.owner)).toThrow('Session not found');
  });

  it('names the task of a request by its session and the type of its id', () => {
    const open = (): Parameters<typeof taskNameOf>[0] =>
      sessions.open(sessions.begin('', {}, call.owner).id, call.owner);
    const one = open();
    expect(new Set([taskNameOf(one, '1'), taskNameOf(one, '"1"'), taskNameOf(open(), '1')]).size).toBe(3);
  });
});

describe(readEventId.name, () => {
  it('reads its own output', () => {
    const long = JSON.stringify('\u{1f600},]"\\'.repeat(40));
    for (const id of ['"r1"', '3', '-1.50', '9007199254740993', '1e+3', long]) {
      expect(readEventId(`${eventPrefix(id, '7')}12-abc`)).toEqual({ id, token: '7', place: '12-abc' });
      expect(readEventId(`${eventPrefix(id, long)}1-a`)).toEqual({ id, token: long, place: '1-a' });
      expect(readEventId(eventPrefix(id, undefined))).toEqual({ id, place: '' });
    }
  });

  it.each([
    '',
    '.',
    'x',
    'bm9wZQ.1-a',
    `${'a'.repeat(5000)}.`,
    eventPrefix('--1', undefined),
    eventPrefix('"\n"', undefined),
  ])('refuses %j', (text) => {
    expect(readEventId(text)).toBeUndefined();
  });
});

describe(ProgressRate.name, () => {
  it('permits a burst of five, and then five per second (MCP-WORK-5)', () => {
    let now = 0;
    const rate = new ProgressRate(() => now);
    const take = (times: number): number => Array.from({ length: times }, () => rate.take()).filter(Boolean).length;
    expect(take(10)).toBe(5);
    now += 400;
    expect(take(10)).toBe(2);
    now += 60_000;
    expect(take(10)).toBe(5);
  });
});
