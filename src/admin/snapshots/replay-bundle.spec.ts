import { describe, expect, it } from '@jest/globals';
import { artifact, completed, inputRequired, type SkillEvent, working } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, SkillFailure, type SkillHandler } from '@parley/sdk/skill/skill.js';
import type { StreamResponse } from '@parley/protocol/model/event.js';
import type { Message, Part } from '@parley/protocol/model/message.js';
import { SUBTASK_EXTENSION } from '@parley/protocol/model/subtask.js';
import type { TaskState } from '@parley/protocol/model/task-state.js';
import { BUNDLE_FORMAT, BundleError } from './bundle-lines.js';
import { type AboutTask, type Bundle, readBundle, type RecordedTask, sealed } from './bundle.js';
import { diffBundles } from './diff-bundles.js';
import { replayBundle } from './replay-bundle.js';
import { snapshotAt } from './snapshot-at.js';

const STEPS = 50;

function skillOf(run: (context: SkillContext) => AsyncGenerator<SkillEvent, void, void>): new () => SkillHandler {
  class Recorded implements SkillHandler {
    run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
      return run(context);
    }
  }
  Skill({ id: 'counting', name: 'Counting', description: 'Counts.', tags: ['test'] })(Recorded);
  return Recorded;
}

const counting = skillOf(async function* ({ step, text, turn }) {
  if (turn === 2) {
    yield completed(`again: ${text}`);
    return;
  }
  yield working('counting');
  let sum = 0;
  for (let at = 0; at < STEPS; at += 1) {
    sum += await step<number>(`step ${String(at)}`, () => Promise.reject(new Error('was recorded')));
  }
  yield artifact('sum', [{ data: sum }]);
  yield inputRequired('Go on?');
});

function status(state: TaskState, ...parts: Part[]): StreamResponse {
  const message: Message = { messageId: 'm', role: 'ROLE_AGENT', parts };
  const of = { state, timestamp: '2026-01-01T00:00:00.000Z' };
  return {
    statusUpdate: { taskId: 't', contextId: 'c', status: parts.length === 0 ? of : { ...of, message } },
  };
}

function said(text: string): Message {
  return { messageId: text, role: 'ROLE_USER', parts: [{ text }] };
}

const EVENTS: readonly StreamResponse[] = [
  status('TASK_STATE_WORKING'),
  status('TASK_STATE_WORKING', { text: 'counting' }),
  {
    artifactUpdate: {
      ...{ taskId: 't', contextId: 'c', append: false, lastChunk: true },
      artifact: { artifactId: 'sum', parts: [{ data: (STEPS * (STEPS - 1)) / 2 }] },
    },
  },
  status('TASK_STATE_INPUT_REQUIRED', { text: 'Go on?' }),
  status('TASK_STATE_WORKING'),
  status('TASK_STATE_COMPLETED', { text: 'again: yes' }),
];

function aTask(more: Partial<RecordedTask> = {}): RecordedTask {
  const about = {
    id: 't',
    skill: 'counting',
    turn: 2,
    tenant: 'acme',
    client: 'bank',
    contextId: 'c',
    runs: [],
    steps: [],
  };
  const journal = Array.from(
    { length: STEPS },
    (_unused, at) => [`1:step ${String(at)}`, { at: 0, ms: 1, value: at }] as const,
  );
  const snapshot = { id: 't', contextId: 'c', history: [said('go'), said('yes')], artifacts: [] };
  return {
    about: { ...about, created: '2026-01-01T00:00:00.000Z', state: 'TASK_STATE_COMPLETED' } as unknown as AboutTask,
    snapshot: { ...snapshot, status: { state: 'TASK_STATE_COMPLETED', timestamp: '' } },
    ...{ journal: new Map<string, unknown>(journal), events: EVENTS, firstSeq: 1 },
    ...more,
  };
}

function aBundle(task = aTask(), more: Partial<Bundle['manifest']> = {}): Bundle {
  const manifest = {
    kind: 'manifest',
    format: BUNDLE_FORMAT,
    made: '',
    service: '',
    node: '',
    task: 't',
    isStripped: false,
  } as const;
  return { manifest: { ...manifest, ...more }, tasks: new Map([['t', task]]), isCut: false };
}

describe(snapshotAt, () => {
  const values = (seq: number, shared: object) => ({ seq, values: shared });
  const journal = new Map<string, unknown>([
    ['$0.0', values(0, { tone: 'dry', n: 0 })],
    ['$1.3', values(3, { n: 1 })],
    ['$1.7', values(4, { n: 2 })],
    ['1:count', { at: 5, ms: 1, seq: 2, value: 'counted' }],
    ['1:later', { at: 9, ms: 1, seq: 4, value: 'too late' }],
    ['1#1', { what: 'now' }],
  ]);

  it('shows the stored state at an event: before and after a step (O-79, SEED-71)', () => {
    const bundle = aBundle(aTask({ journal }));
    expect(snapshotAt(bundle, 't', 1)).toMatchObject({
      shared: { tone: 'dry', n: 0 },
      steps: [],
      artifacts: [],
      of: 6,
    });
    expect(snapshotAt(bundle, 't', 3)).toMatchObject({
      ...{ shared: { tone: 'dry', n: 1 }, steps: [{ turn: 1, name: 'count', value: 'counted' }] },
      ...{ artifacts: [{ artifactId: 'sum' }], status: { message: { parts: [{ text: 'counting' }] } } },
    });
    expect(snapshotAt(bundle, 't', 4)).toMatchObject({
      shared: { n: 2 },
      status: { state: 'TASK_STATE_INPUT_REQUIRED' },
    });
  });

  it('names the open calls', () => {
    const child = aTask();
    const about = { ...child.about, id: 'c', created: '2025-12-31T00:00:00.000Z' };
    const status = { state: 'TASK_STATE_COMPLETED', timestamp: '2026-02-01T00:00:00.000Z' } as const;
    const tree = { parent: 't', root: 't', path: 'counting/sum' };
    const called = { ...child, about: { ...about, tree }, snapshot: { ...child.snapshot, status } };
    const bundle = {
      ...aBundle(),
      tasks: new Map([
        ['t', aTask()],
        ['c', called],
      ]),
    };
    expect(snapshotAt(bundle, 't', 2).open).toEqual([{ task: 'c', path: 'counting/sum' }]);
  });

  it('omits a child that has ended by the log, and includes one that began after the status of its parent (S13)', () => {
    const at = (second: number): string => `2026-01-01T00:01:0${String(second)}.000Z`;
    const progress = (second: number): StreamResponse => ({
      statusUpdate: {
        ...{ taskId: 't', contextId: 'c', metadata: { [SUBTASK_EXTENSION]: { taskId: 'first' } } },
        status: { state: 'TASK_STATE_WORKING', timestamp: at(second) },
      },
    });
    const child = aTask();
    const aChild = (id: string, created: string, ended: string): typeof child & { about: object } => ({
      ...child,
      about: { ...child.about, id, created, tree: { parent: 't', root: 't', path: id } },
      snapshot: { ...child.snapshot, status: { state: 'TASK_STATE_COMPLETED', timestamp: ended } },
    });
    const parent = aTask();
    const events = [...parent.events.slice(0, 2), progress(2), progress(4)];
    const bundle = {
      ...aBundle(),
      tasks: new Map([
        ['t', { ...parent, events }],
        ['first', aChild('first', at(1), at(2))],
        ['second', aChild('second', at(3), at(5))],
      ]),
    };
    expect(snapshotAt(bundle, 't', 4).open).toEqual([{ task: 'second', path: 'second' }]);
  });

  it.each([0, 7, 1.5, Number.NaN])('refuses the event %p', (seq) => {
    expect(() => snapshotAt(aBundle(), 't', seq)).toThrow('The events 1 to 6 are stored');
  });

  it('refuses a missing task', () => {
    expect(() => snapshotAt(aBundle(), 'x', 1)).toThrow(BundleError);
  });
});

describe(replayBundle, () => {
  it('passes the recorded values to a skill, turn by turn, and reproduces its events', async () => {
    const report = await replayBundle(aBundle(), counting);
    expect(report).toMatchObject({ task: 't', turns: 2, events: 4 });
    expect(report.difference).toBeUndefined();
    expect(report.steps).toHaveLength(STEPS);
    expect(new Set(report.steps.map(({ how }) => how))).toEqual(new Set(['recorded']));
  });

  it('omits the messages and artifacts of children', async () => {
    const metadata = { [SUBTASK_EXTENSION]: { taskId: 'child' } };
    const ids = { taskId: 't', contextId: 'c', metadata };
    const of = { state: 'TASK_STATE_WORKING', timestamp: '2026-01-01T00:00:00.000Z' } as const;
    const message: Message = { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'of a child' }] };
    const events: readonly StreamResponse[] = [
      ...EVENTS.slice(0, 2),
      { statusUpdate: { ...ids, status: { ...of, message } } },
      { artifactUpdate: { ...ids, artifact: { artifactId: 'counting/sum#1/out', parts: [{ text: 'piece' }] } } },
      ...EVENTS.slice(2),
    ];
    const report = await replayBundle(aBundle(aTask({ events })), counting);
    expect(report).toMatchObject({ turns: 2, events: 4 });
    expect(report.difference).toBeUndefined();
  });

  it('reports the first different event of a changed skill, the new steps and the vanished ones', async () => {
    const changed = skillOf(async function* ({ step }) {
      yield working('counting');
      const sum = await step('all at once', () => Promise.resolve(7));
      yield artifact('sum', [{ data: sum }]);
      throw new SkillFailure('no more');
    });
    const { difference, steps } = await replayBundle(aBundle(), changed);
    expect(difference).toMatchObject({
      at: 1,
      now: { kind: 'artifact', what: 'sum', value: { parts: [{ data: 7 }] } },
    });
    expect(steps.filter(({ how }) => how === 'live')).toEqual([
      { turn: 1, name: 'all at once', how: 'live' },
      { turn: 2, name: 'all at once', how: 'live' },
    ]);
    expect(steps.filter(({ how }) => how === 'vanished')).toHaveLength(STEPS);
  });

  it.each([
    ['was stripped', aBundle(aTask(), { isStripped: true })],
    ['was cut', { ...aBundle(), isCut: true }],
    ['has lost its first events', aBundle(aTask({ firstSeq: 3 }))],
  ])('refuses a bundle that %s', async (_name, bundle) => {
    await expect(replayBundle(bundle, counting)).rejects.toBeInstanceOf(BundleError);
  });
});

describe(diffBundles, () => {
  it('reports differences, and nothing for two equal runs', () => {
    expect(diffBundles(aBundle(), aBundle())).toEqual([]);
    const journal = new Map([...aTask().journal, ['1:step 3', { value: 99 }]] as const);
    const others = aBundle(aTask({ journal, events: EVENTS.slice(0, -1) }));
    expect(diffBundles(aBundle(), others)).toEqual([
      { kind: 'event-count', what: '', a: 6, b: 5 },
      { kind: 'step', what: '1:step 3', a: 3, b: 99 },
      { kind: 'message', what: '3', a: { state: 'TASK_STATE_COMPLETED', parts: [{ text: 'again: yes' }] } },
    ]);
  });
});

describe(readBundle, () => {
  const text = async (lines: readonly unknown[]): Promise<string> => {
    async function* each(): AsyncGenerator<string, void, void> {
      for (const line of lines) yield await Promise.resolve(JSON.stringify(line));
    }
    const pieces: string[] = [];
    for await (const piece of sealed(each())) pieces.push(piece);
    return pieces.join('');
  };
  const manifest = aBundle().manifest;

  it('reads a sealed bundle, and refuses one that was changed, truncated or is of another format', async () => {
    const whole = await text([manifest, { kind: 'cut', task: 't' }]);
    expect(readBundle(whole)).toEqual({ manifest, tasks: new Map(), isCut: true });
    expect(() => readBundle(whole.replace('"cut"', '"event"'))).toThrow('SHA-256');
    expect(() => readBundle(whole.split('\n').slice(0, 2).join('\n'))).toThrow('incomplete');
    const other = await text([{ ...manifest, format: 'parley-bundle/9' }]);
    expect(() => readBundle(other)).toThrow('parley-bundle/9');
    expect(() => readBundle('no bundle')).toThrow(BundleError);
  });
});
