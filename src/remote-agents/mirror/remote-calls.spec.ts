import { describe, expect, it } from '@jest/globals';
import { endOf } from './remote-calls.js';

type Ended = Parameters<typeof endOf>[0];

const SAID = { messageId: 'a', role: 'ROLE_AGENT', parts: [{ text: 'af says: hello' }] } as const;
const HISTORY = [
  { messageId: 'u', role: 'ROLE_USER', parts: [{ text: 'hello' }] },
  SAID,
  { ...SAID, role: 'ROLE_USER' },
];
const DONE = { state: 'TASK_STATE_COMPLETED' } as const;
const ARTIFACT = { artifactId: 'x', parts: [{ text: 'result' }] };
const WORDS = { messageId: 'w', role: 'ROLE_AGENT', parts: [{ text: 'done' }] } as const;

describe(endOf.name, () => {
  it.each<[string, Partial<Ended>, readonly unknown[]]>([
    ['neither', { status: DONE, history: HISTORY } as Partial<Ended>, SAID.parts],
    ['an artifact', { status: DONE, history: HISTORY, artifacts: [ARTIFACT] } as Partial<Ended>, []],
    ['last words', { status: { ...DONE, message: WORDS }, history: HISTORY } as Partial<Ended>, WORDS.parts],
    ['nothing at all', { status: DONE }, []],
  ])(
    'takes the last message of an agent that ended with %s only where it has no other result (conformance C5)',
    (_what, task, parts) => {
      expect(endOf({ id: 't', contextId: 'c', ...task } as Ended).parts).toEqual(parts);
    },
  );
});
