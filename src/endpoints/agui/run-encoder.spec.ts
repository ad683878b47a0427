import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { QUESTIONS_EXTENSION } from '@parley/protocol/extension/questions.js';
import { SUBTASK_EXTENSION } from '@parley/protocol/model/subtask.js';
import type { StreamResponse } from '@parley/protocol/model/event.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Part } from '@parley/protocol/model/message.js';
import type { Artifact, TaskStatus } from '@parley/protocol/model/task.js';
import { endsStream, TASK_STATES, type TaskState } from '@parley/protocol/model/task-state.js';
import { aPage, type ClientVersion, recorded, seen, textsOf, VERSIONS } from '../../../test/kit/agui/pages.js';
import { type RunBeginning, RunEncoder } from './run-encoder.js';

const TASK = '0b5a4e5e-8c1f-4d2b-9a37-2f4f3c1f0a01';
const CONTEXT = 'thread';
const run = (version: ClientVersion) => ({ threadId: CONTEXT, runId: 'run', isOld: version === '0.0.59' });

const task = (
  artifacts: readonly Artifact[] = [],
  status: TaskStatus = at('TASK_STATE_SUBMITTED'),
): StreamResponse => ({
  task: { id: TASK, contextId: CONTEXT, status, ...(artifacts.length === 0 ? {} : { artifacts }) },
});
function at(state: TaskState, text?: string, metadata?: JsonObject): TaskStatus {
  const message = { messageId: `m-${state}`, role: 'ROLE_AGENT', parts: [{ text: text ?? '' }] } as const;
  const said = text === undefined ? {} : { message: metadata === undefined ? message : { ...message, metadata } };
  return { state, timestamp: '2026-11-27T10:00:00.000Z', ...said };
}
const status = (state: TaskState, text?: string, metadata?: JsonObject): StreamResponse => ({
  statusUpdate: { taskId: TASK, contextId: CONTEXT, status: at(state, text, metadata) },
});
const artifact = (artifactId: string, parts: readonly Part[], append = false): StreamResponse => ({
  artifactUpdate: { taskId: TASK, contextId: CONTEXT, artifact: { artifactId, parts }, append },
});
const child = (event: StreamResponse): StreamResponse => {
  const metadata = { [SUBTASK_EXTENSION]: { taskId: 'child-1', skillId: 'search', path: 'all/search', state: 'x' } };
  return 'statusUpdate' in event
    ? { statusUpdate: { ...event.statusUpdate, metadata } }
    : 'artifactUpdate' in event
      ? { artifactUpdate: { ...event.artifactUpdate, metadata } }
      : event;
};

interface Encoded {
  readonly groups: readonly (readonly string[])[];
  readonly ids: readonly string[];
  readonly encoder: RunEncoder;
}

/** The frames of a log, as the endpoint writes them: up to the first end or wait. */
function encoded(
  events: readonly StreamResponse[],
  version: ClientVersion = '1.0.0',
  beginning: RunBeginning = { base: [] },
  firstSeq = 1,
): Encoded {
  const encoder = new RunEncoder(run(version), beginning);
  const groups: (readonly string[])[] = [];
  const ids: string[] = [];
  for (const [index, event] of events.entries()) {
    if (encoder.isOver) break;
    const id = `${String(firstSeq + index)}-nonce`;
    groups.push(encoder.encode(event, id));
    ids.push(encoder.idOf(id));
  }
  return { groups, ids, encoder };
}

async function played(version: ClientVersion, frames: readonly string[]) {
  const page = aPage('http://page.example', { version, fetch: recorded(frames) });
  return { page, ...(await seen(page)) };
}

let warned: jest.SpiedFunction<typeof console.warn>;
beforeEach(() => {
  warned = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(() => {
  expect(warned.mock.calls).toEqual([]);
  warned.mockRestore();
});

const typeOf = (frame: string): unknown => (JSON.parse(frame) as { type: unknown }).type;

describe(RunEncoder.name, () => {
  describe.each(VERSIONS)('with the client %s', (version) => {
    it('makes one message of the chunks of an artifact (AGUI-01, AGUI-02, AGUI-03)', async () => {
      const texts = Array.from({ length: 1000 }, (_, index) => `${String(index)} `);
      const chunks = texts.map((text, index) => artifact('a', [{ text }], index > 0));
      const { groups } = encoded([task(), ...chunks, status('TASK_STATE_COMPLETED')], version);
      expect(groups.flat().filter((frame) => typeOf(frame) === 'TEXT_MESSAGE_CHUNK')).toHaveLength(1000);
      const { page, error, events } = await played(version, groups.flat());
      expect(error).toBeUndefined();
      expect(page.messages.filter(({ role }) => role === 'assistant')).toMatchObject([
        { id: `${TASK}/a`, content: texts.join('') },
      ]);
      expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
    });

    it('makes a message of each of several artifacts whose chunks alternate (AGUI-04)', async () => {
      const events = [0, 1, 2].flatMap((round) =>
        ['a', 'b', 'c'].map((id) => artifact(id, [{ text: `${id}${String(round)};` }], round > 0)),
      );
      const { groups } = encoded([task(), ...events, status('TASK_STATE_COMPLETED')], version);
      const { page } = await played(version, groups.flat());
      expect(textsOf(page)).toEqual(['a0;a1;a2;', 'b0;b1;b2;', 'c0;c1;c2;']);
    });

    it.each([
      ['TASK_STATE_FAILED', 'no paper', { message: 'no paper', code: 'TaskFailed' }],
      ['TASK_STATE_REJECTED', undefined, { message: 'The task was rejected', code: 'TaskRejected' }],
    ] as const)('fails the run of a task that is %s (AGUI-16)', async (state, text, failed) => {
      const { groups } = encoded([task(), artifact('a', [{ text: 'x' }]), status(state, text)], version);
      const { events } = await played(version, groups.flat());
      expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', ...failed });
    });

    it('ends the run of a canceled task as the client knows it (AGUI-36)', async () => {
      const { groups } = encoded([task(), status('TASK_STATE_CANCELED')], version);
      const { events, error } = await played(version, groups.flat());
      expect(error).toBeUndefined();
      const end = { type: 'RUN_FINISHED', threadId: CONTEXT, runId: 'run' };
      expect(events.at(-1)).toEqual(
        version === '1.0.0'
          ? { ...end, outcome: { type: 'cancelled' } }
          : { ...end, metadata: { parley: { state: 'TASK_STATE_CANCELED' } } },
      );
    });

    it('ends the run with the questions of the task, each as an interrupt (AGUI-30)', async () => {
      const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
      const about = { taskId: TASK, path: 'ask', skillId: 'ask', expires: '2026-12-27T10:00:00.000Z' };
      const questions = [
        { id: `${TASK}:1.1`, text: 'Which number?', schema, ...about },
        { id: `${TASK}:1.2`, text: 'Sure?', schema: { type: 'boolean' }, ...about },
        { id: `${TASK}:1.3`, text: 'Why?', ...about },
      ];
      const asked = status('TASK_STATE_INPUT_REQUIRED', 'Three things', { [QUESTIONS_EXTENSION]: { questions } });
      const { groups } = encoded([task(), asked], version);
      const { page, events, error } = await played(version, groups.flat());
      expect(error).toBeUndefined();
      const value = { type: 'object', properties: { value: { type: 'boolean' } }, required: ['value'] };
      const expiresAt = about.expires;
      const { expires: _expires, ...place } = about;
      expect(events.at(-1)).toMatchObject({
        outcome: {
          type: 'interrupt',
          interrupts: [
            {
              id: `${TASK}~${TASK}:1.1`,
              reason: 'input_required',
              message: 'Which number?',
              responseSchema: schema,
              expiresAt,
              metadata: { parley: place },
            },
            { id: `${TASK}~${TASK}:1.2~v`, reason: 'confirmation', message: 'Sure?', responseSchema: value },
            { id: `${TASK}~${TASK}:1.3`, reason: 'input_required', message: 'Why?' },
          ],
        },
      });
      expect(textsOf(page)).toEqual(['Three things']);
      expect(page.pendingInterrupts).toHaveLength(3);
    });

    it('shows data, files, progress, logins and children as activities (AGUI-17, AGUI-18, AGUI-19)', async () => {
      const raw = Buffer.alloc(10 * 1024).toString('base64');
      const large = Buffer.alloc(5 * 1024 * 1024).toString('base64');
      const { groups } = encoded(
        [
          task(),
          status('TASK_STATE_WORKING', 'reading'),
          child(status('TASK_STATE_WORKING', 'searching')),
          artifact('d', [{ data: { n: 1 }, mediaType: 'application/json' }]),
          artifact('f', [
            { raw, filename: 'small.bin' },
            { raw: large, filename: 'large.bin' },
          ]),
          artifact('u', [{ url: 'https://files.example/a' }, { url: 'javascript:alert(1)' }]),
          {
            statusUpdate: {
              ...{ taskId: TASK, contextId: CONTEXT },
              status: {
                ...at('TASK_STATE_AUTH_REQUIRED'),
                message: {
                  ...{ messageId: 'l', role: 'ROLE_AGENT' },
                  parts: [{ text: 'Log in.' }, { url: 'https://login.example/' }],
                },
              },
            },
          },
          status('TASK_STATE_COMPLETED'),
        ],
        version,
      );
      const { page, error } = await played(version, groups.flat());
      expect(error).toBeUndefined();
      const shown = page.messages.map((message) => [
        message.id.replace(TASK, 'task'),
        'activityType' in message ? message.activityType : message.role,
        message.content,
      ]);
      const timestamp = '2026-11-27T10:00:00.000Z';
      expect(shown).toEqual([
        ['task/status', 'parley.status', { text: 'reading', state: 'TASK_STATE_WORKING', timestamp }],
        ['child-1', 'parley.task', { skillId: 'search', path: 'all/search', state: 'x', text: 'searching' }],
        ['task/d#0', 'parley.artifact', { mediaType: 'application/json', data: { n: 1 } }],
        ['task/f#0', 'parley.file', { name: 'small.bin', data: raw }],
        ['task/f#1', 'parley.file', { name: 'large.bin', taskId: TASK, artifactId: 'f', size: 5 * 1024 * 1024 + 1 }],
        ['task/u#0', 'parley.file', { url: 'https://files.example/a' }],
        ['task/u#1', 'parley.file', { taskId: TASK, artifactId: 'u' }],
        ['task/auth', 'parley.auth', { url: 'https://login.example/', text: 'Log in.' }],
      ]);
    });

    it('voids the message of an artifact that begins anew, and writes another one (AGUI-25)', async () => {
      const events = [
        task(),
        artifact('a', [{ text: 'half' }]),
        artifact('a', [{ text: 'whole ' }]),
        artifact('a', [{ text: 'text' }], true),
      ];
      const { groups } = encoded([...events, status('TASK_STATE_COMPLETED')], version);
      const { page, events: shown } = await played(version, groups.flat());
      expect(shown).toContainEqual({ type: 'CUSTOM', name: 'parley.void', value: { messageId: `${TASK}/a` } });
      expect(page.messages).toMatchObject([
        { id: `${TASK}/a`, content: 'half' },
        { id: `${TASK}/a~1`, content: 'whole text' },
      ]);
    });

    it('accepts every log: one end, nothing behind it, nothing open, no null (AGUI-05)', async () => {
      await fc.assert(
        fc.asyncProperty(logs, async (events) => {
          const { groups } = encoded(events, version);
          const frames = groups.flat();
          expect(frames.join('')).not.toContain(':null');
          const ends = frames.filter((frame) => /^\{"type":"RUN_(FINISHED|ERROR)"/.test(frame));
          expect(ends).toHaveLength(1);
          expect(frames.at(-1)).toBe(ends[0]);
          expect(typeOf(frames[0] ?? '')).toBe('RUN_STARTED');
          const { error, events: shown } = await played(version, frames);
          expect(error).toBeUndefined();
          expect(shown.at(-1)?.type).toMatch(/^RUN_(FINISHED|ERROR)$/);
        }),
        { numRuns: 60 },
      );
    });
  });

  it('writes the same frames from any event on, in any process (AGUI-23)', () => {
    fc.assert(
      fc.property(logs, fc.nat(), (events, cut) => {
        const whole = encoded(events);
        const shown = whole.groups.map((group, index) => ({ group, id: whole.ids[index] ?? '' }));
        const left = cut % shown.length;
        // The rest follows a thin task with the id of the last event.
        const encoder = new RunEncoder(run('1.0.0'), { base: [], lastEventId: shown[left]?.id });
        const isEnd = encodedEnd(events, left);
        const thin = task([], isEnd ?? at('TASK_STATE_WORKING', 'as of then'));
        const first = encoder.encode(thin, RunEncoder.cursorIn(shown[left]?.id));
        expect(first.length > 0).toBe(isEnd !== undefined);
        const rest = events.slice(left + 1).map((event, index) => {
          const frames = encoder.isOver ? [] : encoder.encode(event, 'x');
          return { frames, index };
        });
        expect(rest.flatMap(({ frames }) => frames)).toEqual(shown.slice(left + 1).flatMap(({ group }) => group));
      }),
    );
  });

  it('gives a reader that lost its cursor all messages, with those of its page in their places (AGUI-24, AGUI-29)', () => {
    const base = [
      { id: 'u1', role: 'user', content: 'first' },
      { id: `${TASK}/a`, role: 'assistant', content: 'ol' },
      { id: 'u2', role: 'user', content: 'second' },
    ];
    const artifacts = [
      { artifactId: 'a', parts: [{ text: 'new ' }, { text: 'text' }] },
      { artifactId: 'b', parts: [{ text: 'more' }, { data: 1 }] },
    ];
    const frames = (lastEventId: string | undefined): readonly JsonObject[] =>
      encoded([task(artifacts, at('TASK_STATE_WORKING'))], '1.0.0', { base, lastEventId }, 9)
        .groups.flat()
        .map((frame) => JSON.parse(frame) as JsonObject);
    const snapshot = {
      type: 'MESSAGES_SNAPSHOT',
      messages: [
        base[0],
        { id: `${TASK}/a`, role: 'assistant', content: 'new text' },
        base[2],
        { id: `${TASK}/b`, role: 'assistant', content: 'more' },
      ],
    };
    for (const lost of ['7-other', '9-nonce;!', `9-nonce;${'x'.repeat(10_240)}`, '9-nonce;<script>']) {
      expect(frames(lost)[0]).toEqual(snapshot);
    }
    const again = frames(undefined);
    expect(again.map(({ type }) => type)).toEqual(['RUN_STARTED', 'MESSAGES_SNAPSHOT', 'ACTIVITY_SNAPSHOT']);
  });

  it('gives a page of new messages only its texts anew, each after it is voided (AGUI-49)', async () => {
    const { groups } = encoded(
      [
        task([{ artifactId: 'a', parts: [{ text: 'whole' }] }], at('TASK_STATE_WORKING')),
        artifact('a', [{ text: ' text' }], true),
      ],
      '1.0.0',
      { base: undefined, lastEventId: '3-gone' },
    );
    expect(groups.map((group) => group.map(typeOf))).toEqual([
      ['CUSTOM', 'TEXT_MESSAGE_CHUNK'],
      ['TEXT_MESSAGE_CHUNK'],
    ]);
    await Promise.resolve();
  });

  it('ends a stream without a last frame where events are gone and the page can send its messages again', () => {
    const { groups, encoder } = encoded([
      task(),
      artifact('a', [{ text: 'x' }]),
      task([{ artifactId: 'a', parts: [{ text: 'xyz' }] }]),
    ]);
    expect(groups.at(-1)).toEqual([]);
    expect(encoder.isOver).toBe(true);
  });

  it('cuts the oldest texts of a snapshot that clients could not buffer', () => {
    const base = [1, 2, 3].map((at) => ({ id: `m${String(at)}`, role: 'user', content: 'x'.repeat(3 * 1024 * 1024) }));
    const { groups } = encoded([task([{ artifactId: 'a', parts: [{ text: 'y' }] }])], '1.0.0', { base });
    const [, text = ''] = groups.flat();
    expect(text.length).toBeLessThan(8.1 * 1024 * 1024);
    const { messages } = JSON.parse(text) as { messages: readonly JsonObject[] };
    expect(messages.map(({ content }) => String(content).length)).toEqual([0, 3 * 1024 * 1024, 3 * 1024 * 1024, 1]);
    expect(messages[0]).toMatchObject({ metadata: { parley: { cut: true } } });
  });
});

/** The status of the event by which the run of a page ends, if this one does. */
function encodedEnd(events: readonly StreamResponse[], index: number): TaskStatus | undefined {
  const event = events[index];
  if (event === undefined || !('statusUpdate' in event)) return undefined;
  if (event.statusUpdate.metadata?.[SUBTASK_EXTENSION] !== undefined) return undefined;
  const { status: now } = event.statusUpdate;
  return endsStream(now.state) ? now : undefined;
}

const texts = fc.string({ unit: 'grapheme', maxLength: 12 });
const parts: fc.Arbitrary<Part> = fc.oneof(
  { weight: 4, arbitrary: texts.map((text) => ({ text })) },
  texts.map((text) => ({ data: { text } })),
  fc.constant({ url: 'https://files.example/x', filename: 'x' }),
  fc.constant({ raw: 'AAAA' }),
);
const updates: fc.Arbitrary<StreamResponse> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom('a', 'b', 'c'), fc.array(parts, { minLength: 1, maxLength: 3 }), fc.boolean())
      .map(([id, some, append]) => artifact(id, some, append)),
  },
  fc
    .tuple(fc.constantFrom('TASK_STATE_WORKING', 'TASK_STATE_AUTH_REQUIRED'), fc.option(texts, { nil: undefined }))
    .map(([state, text]) => status(state as TaskState, text)),
);
const ends = fc
  .constantFrom(...TASK_STATES.filter(endsStream))
  .chain((state) => fc.option(texts, { nil: undefined }).map((text) => status(state, text)));
/** Logs of tasks: the first event, changes, those of children, the end. */
const logs = fc
  .tuple(fc.array(fc.oneof({ weight: 4, arbitrary: updates }, updates.map(child)), { maxLength: 12 }), ends)
  .map(([middle, end]) => [task(), ...middle, end]);
