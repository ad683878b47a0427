// The skills that the TCK talks to. The TCK of 1.0 says by the beginning of a message's id what should become of its task
// (its scenarios/*.feature); all other messages, those of the older TCKs, are worked on for a while. They run inside the
// built service, so they import what was built.
import { Buffer } from 'node:buffer';
import { setTimeout as pause } from 'node:timers/promises';
import { artifact, chunk, completed, inputRequired, rejected, working } from '@parley/sdk/skill/events.js';
import { Skill } from '@parley/sdk/skill/skill.js';

/** What the TCK waits for an event of a stream, in seconds: its own variable, and its own default. */
const STREAMING_TIMEOUT_S = Number(process.env.TCK_STREAMING_TIMEOUT ?? 2);
/** The TCK asks for twice its timeout (its SUT_REQUIREMENTS.md); the rest is for a slow machine. */
const LONG_MS = (2 * STREAMING_TIMEOUT_S + 4) * 1000;

const FILE = { filename: 'output.txt', mediaType: 'text/plain' };
const HELLO = 'Hello from TCK';

/** What is yielded for the beginning of a message id; the first one that fits counts. */
const SCENARIOS = [
  ['tck-artifact-text', () => [artifact('a', 'Generated text content')]],
  ['tck-artifact-file-url', () => [artifact('a', [{ url: 'https://example.com/output.txt', ...FILE }])]],
  ['tck-artifact-file', () => [artifact('a', [aFile('Generated file content')])]],
  ['tck-artifact-data', () => [artifact('a', [{ data: { key: 'value', count: 42 } }])]],
  ['tck-input-required', () => [inputRequired('Go on?')]],
  ['tck-reject-task', () => [rejected('rejected')]],
  ['tck-stream-001', () => [working('Working'), artifact('a', 'Stream hello from TCK')]],
  ['tck-stream-003', () => [working('Working'), artifact('a', 'Stream task lifecycle')]],
  ['tck-stream-ordering-001', () => [working('Working'), artifact('a', 'Ordered output')]],
  ['tck-stream-artifact-text', () => [working('Working'), artifact('a', 'Streamed text content')]],
  ['tck-stream-artifact-file', () => [working('Working'), artifact('a', [aFile('Streamed file content')])]],
  [
    'tck-stream-artifact-chunked',
    () => [working('Working'), chunk('a', 'chunk-1 '), chunk('a', 'chunk-2', { last: true })],
  ],
  ['tck-', () => [completed(HELLO)]],
];

class TckSkill {
  async *run({ messages, signal }) {
    const id = messages.at(-1)?.messageId ?? '';
    const [, events] = SCENARIOS.find(([beginning]) => id.startsWith(beginning)) ?? [];
    if (events !== undefined) {
      yield* events();
      return;
    }
    yield working('Working');
    yield artifact('answer', HELLO);
    await pause(LONG_MS, undefined, { signal });
  }
}

Skill({
  ...{ id: 'tck', name: 'TCK', description: 'Does what the TCK asks for.', tags: ['test'] },
  // Not "any": the TCK wants one type to be refused.
  inputModes: ['text/plain', 'application/json', 'application/octet-stream', 'image/*'],
  outputModes: ['text/plain', 'application/json'],
})(TckSkill);

/** Answers with a Message instead of a task. */
class TckMessageSkill {
  async *run() {
    yield completed('Direct message response');
  }
}

Skill({
  ...{ id: 'tck_message', name: 'TCK message', description: 'Answers the TCK with a Message.', tags: ['test'] },
  direct: true,
})(TckMessageSkill);

export const TCK_SKILLS = [TckSkill, TckMessageSkill];

function aFile(text) {
  return { raw: Buffer.from(text).toString('base64'), ...FILE };
}
