import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../test/kit/eventually.js';
import { RECEIVER_PORT, SILENT_PORT } from '../../test/kit/migration/callers.js';
import { ask } from '../../test/kit/migration/interview.js';
import type { OldService } from './old-service.js';
import { type MadeTask, type Script, Sender } from './sender.js';

const LONG = ['wait', 600_000];
/** Named by a client, so that lists by context find several tasks. */
const CONTEXT = 'the-context-of-alice';

/** Leaves tasks in every state behind, with one process after the other. */
export async function makeTasks(start: (role: string) => Promise<OldService>): Promise<readonly MadeTask[]> {
  const made: MadeTask[] = [];
  const all = await start('all');
  await makeEnded(new Sender(all.url, made));
  await makeEndedWithWebhooks(new Sender(all.url, made));
  await makeEndedByCallers(new Sender(all.url, made));
  await makeWaiting(new Sender(all.url, made));
  await makeRunning(new Sender(all.url, made));
  await all.stop('SIGKILL');
  // Nobody runs them and nobody sweeps: they stay as they are.
  const api = await start('api');
  await makeWishes(new Sender(api.url, made));
  await makeQueued(new Sender(api.url, made));
  await api.stop();
  return made;
}

async function makeEnded(by: Sender): Promise<void> {
  await by.send('completed', 'alice', {
    script: [
      ['say', 'at work', { done: 1 }],
      ['artifact', 'out', 'a whole artifact', { name: 'Out', metadata: { pages: 2 } }],
      ['end', 'the last word'],
    ],
    contextId: CONTEXT,
    metadata: { ticket: 'T-1' },
  });
  await by.send('completed-without-words', 'alice', {});
  await by.send('completed-by-chunks', 'alice', {
    script: [
      ...Array.from({ length: 40 }, (_unused, at) => [
        'chunk',
        at % 2 === 0 ? 'even' : 'odd',
        `${at} "quoted" ü ;`,
        at > 37,
      ]),
      ['artifact', 'even', 'replaced'],
    ],
    contextId: CONTEXT,
  });
  await by.send('failed', 'alice', {
    script: [
      ['say', 'trying'],
      ['fail', 'It cannot be done.'],
    ],
  });
  await by.send('rejected-by-skill', 'bob', { script: [['reject', 'Not this.']] });
  await by.send('rejected-at-once', 'bob', { skill: 'unknown' });
  await by.send('completed-of-carol', 'carol', {
    script: [
      ['share', 'color', 'green'],
      ['artifact', 'a', 'b'],
    ],
  });
}

async function makeEndedWithWebhooks(by: Sender): Promise<void> {
  const webhook = await by.send('completed-with-webhook', 'alice', {
    script: [
      ['say', 'one'],
      ['artifact', 'x', 'y'],
    ],
    webhook: [RECEIVER_PORT, 'hook'],
  });
  await eventually(async () => by.expectAttempts('alice', webhook, 3), { timeoutMs: 20_000 });
  const stopped = await by.send('completed-with-stopped-webhook', 'alice', {
    script: [['say', 'one']],
    webhook: [RECEIVER_PORT, 'gone'],
  });
  await eventually(async () => by.expectAttempts('alice', stopped, 1), { timeoutMs: 20_000 });
}

async function makeEndedByCallers(by: Sender): Promise<void> {
  const canceled = await by.send('canceled-while-running', 'alice', { script: [['say', 'long'], LONG], waits: false });
  await by.until('alice', canceled, 'WORKING');
  await ask(by.url, 'alice', '1.0', 'CancelTask', { id: canceled });
  await by.until('alice', canceled, 'CANCELED');
  const asked = await by.send('canceled-while-waiting', 'bob', { script: [['ask', 'Which one?']] });
  await ask(by.url, 'bob', '1.0', 'CancelTask', { id: asked });
  const turns = await by.send('completed-in-three-turns', 'alice', {
    script: [
      ['remember', 'n', 1],
      ['ask', 'first question'],
    ],
    contextId: CONTEXT,
  });
  await by.answer('alice', turns, [
    ['step', 'one'],
    ['ask', 'second question'],
  ]);
  await by.answer('alice', turns, [['chunk', 'c', 'third turn', true]]);
  await by.sendOf01('completed-of-0.1', 'carol', 'my-own-name', []);
  await by.sendOf03('completed-of-0.3', 'bob', [
    ['say', 'legacy'],
    ['artifact', 'x', 'legacy'],
  ]);
}

async function makeWaiting(by: Sender): Promise<void> {
  const script = [
    ['remember', 'answer', { deep: [1, 2] }],
    ['share', 'size', 7],
    ['ask', 'Which size?'],
  ];
  await by.send('input-required', 'alice', { script, contextId: CONTEXT });
  const again = await by.send('input-required-again', 'bob', { script: [['ask', 'first question']] });
  await by.answer('bob', again, [
    ['artifact', 'half', 'half'],
    ['ask', 'second question'],
  ]);
  await by.send('auth-required', 'carol', { script: [['authorize', 'Log in there.']] });
  await by.sendOf01('input-required-of-0.1', 'alice', 'a/name:of-the*client', [['ask', 'well?']]);
  const dead = await by.send('input-required-with-webhooks', 'alice', {
    script: [['ask', 'hook?']],
    webhook: [SILENT_PORT, 'hook'],
  });
  await eventually(async () => by.expectAttempts('alice', dead, 3), { timeoutMs: 30_000 });
}

async function makeRunning(by: Sender): Promise<void> {
  const steps: Script = [
    ['step', 'one'],
    ['chunk', 'grows', 'first '],
    ['chunk', 'grows', 'second '],
    ['step', 'two'],
    LONG,
  ];
  const working = await by.send('working', 'alice', { script: steps, waits: false, contextId: CONTEXT });
  const deaf = await by.send('working-and-canceled', 'bob', {
    script: [
      ['say', 'deaf'],
      ['sleep', 600_000],
    ],
    waits: false,
  });
  const more = await by.send('working-with-messages', 'carol', { script: [['say', 'busy'], LONG], waits: false });
  const broken = await by.send('put-off', 'alice', { script: [['say', 'about to break'], ['break']], waits: false });
  const limited = await by.send('working-limited', 'bob', {
    skill: 'limited',
    script: [['say', 'alone'], LONG],
    waits: false,
  });
  for (const id of [deaf, limited]) await by.until('bob', id, 'WORKING');
  await by.until('carol', more, 'WORKING');
  await eventually(async () => by.expectText('alice', working, 'two of schema 2'), { timeoutMs: 10_000 });
  await by.until('alice', broken, 'WORKING');
  // Its first retry is over; the second one begins two seconds later.
  await pause(1_500);
}

/** Wishes of callers for runs whose process is gone. */
async function makeWishes(by: Sender): Promise<void> {
  const idOf = (name: string): string => by.made.find((task) => task.name === name)?.id ?? '';
  await ask(by.url, 'bob', '1.0', 'CancelTask', { id: idOf('working-and-canceled') });
  const more = idOf('working-with-messages');
  for (const text of ['first', 'second']) {
    const message = {
      messageId: randomUUID(),
      role: 'ROLE_USER',
      taskId: more,
      parts: [{ text }],
      metadata: { script: [['artifact', text, text]] },
    };
    await ask(by.url, 'carol', '1.0', 'SendMessage', { message, configuration: { returnImmediately: true } });
  }
  await by.send('submitted-and-canceled', 'alice', { waits: false });
  await ask(by.url, 'alice', '1.0', 'CancelTask', { id: idOf('submitted-and-canceled') });
}

async function makeQueued(by: Sender): Promise<void> {
  const script = [
    ['step', 'begun late'],
    ['artifact', 'late', 'late'],
  ];
  for (const name of ['submitted', 'submitted-second']) {
    await by.send(name, 'alice', { script, waits: false, messageId: `message-of-${name}` });
  }
  await by.send('submitted-of-carol', 'carol', { script, waits: false, webhook: [SILENT_PORT, 'hook'] });
  await by.send('submitted-limited', 'bob', { skill: 'limited', script, waits: false });
  const answered = by.made.find(({ name }) => name === 'input-required-again')?.id ?? '';
  await by.answer('bob', answered, [['artifact', 'rest', 'rest']], false);
}
