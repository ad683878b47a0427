import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import canonicalize from 'canonicalize';
import { eventually } from '../kit/run/eventually.js';
import type {
  DrivenCredential,
  DrivenEvent,
  DrivenMessage,
  DrivenPart,
  DrivenTask,
  GuardedAgent,
  InteropDriver,
} from './driver.js';
import type { WebhookReceiver } from './webhook-receiver.js';

/** What a cell has beside the client under test. */
export interface CellGround {
  readonly receiver: WebhookReceiver;
  readonly guarded?: GuardedAgent | undefined;
  /** The address of the service. Absent: the agent is another one. */
  readonly service?: string | undefined;
}

/** One thing that every client must be able to do with the service. */
export interface InteropCell {
  readonly name: string;
  readonly needs: readonly (keyof InteropDriver)[];
  /** Whether it is about an agent that wants a credential: without such an agent it is not run. */
  readonly isGuarded?: true;
  readonly run: (driver: InteropDriver, ground: CellGround) => Promise<void>;
}

const NO_TASK = '00000000-0000-4000-8000-000000000000';
const INVOICE = new URL('../fixtures/invoices/ubl/ubl-invoice-2.0-example.xml', import.meta.url);
export const TEXT = 'Grüße ☃ 😀';
const BYTES = Buffer.from([0, 1, 2, 253, 254, 255]).toString('base64');

const text = (skill: string, content: string, rest: Partial<DrivenMessage> = {}): DrivenMessage => ({
  parts: [{ text: content }],
  skill,
  ...rest,
});

export const INTEROP_CELLS: readonly InteropCell[] = [
  {
    name: 'card',
    needs: ['card'],
    async run(driver) {
      const { name, skills } = await driver.card();
      assert.notEqual(name, '');
      assert.ok(skills.includes('echo'), `skills are ${skills.join()}`);
    },
  },
  {
    name: 'card with everything on',
    needs: ['card'],
    isGuarded: true,
    async run(_driver, { guarded }) {
      assert.ok(guarded, 'there is no guarded agent');
      await opened(guarded, undefined, async (driver) => {
        const { skills } = await driver.card();
        assert.ok(skills.includes('echo'), `skills are ${skills.join()}`);
      });
    },
  },
  {
    name: 'send',
    needs: ['send'],
    async run(driver) {
      const task = await driver.send(text('echo', TEXT, { blocking: true }));
      is(task, 'COMPLETED');
      assert.equal(task.parts[0]?.text, TEXT);
      assert.match(task.contextId, /^[0-9a-f-]{36}$/);
    },
  },
  {
    name: 'send, then get',
    needs: ['send', 'get'],
    async run(driver) {
      const { id, state } = await driver.send(text('countdown', '1', { blocking: false }));
      assert.ok(['SUBMITTED', 'WORKING'].includes(plain(state)), `returned when it was ${state}`);
      await eventually(async () => is(await driver.get(id), 'COMPLETED'));
    },
  },
  {
    name: 'same message again',
    needs: ['repeat'],
    async run(driver) {
      const data = { a: 1, b: { x: '1', y: '2', z: '3' }, c: [1, 2], d: 'q' };
      const ids = await driver.repeat({ parts: [{ data }], skill: 'echo', blocking: true }, 20);
      same([...new Set(ids)].length, 1);
      same(ids.length, 20);
    },
  },
  {
    name: 'stream',
    needs: ['stream'],
    async run(driver) {
      const events = await driver.stream(text('countdown', '2'));
      assert.ok(
        events.some(({ parts = [] }) => parts.length > 0),
        'no artifact came',
      );
      endsWith(events, 'COMPLETED');
    },
  },
  {
    name: 'resubscribe',
    needs: ['send', 'subscribe'],
    async run(driver) {
      const { id } = await driver.send(text('countdown', '3', { blocking: false }));
      endsWith(await driver.subscribe(id), 'COMPLETED');
    },
  },
  {
    name: 'cancel',
    needs: ['send', 'cancel'],
    async run(driver) {
      const { id } = await driver.send(text('countdown', '60', { blocking: false }));
      is(await driver.cancel(id), 'CANCELED');
    },
  },
  {
    name: 'list',
    needs: ['send', 'list'],
    async run(driver) {
      const contextId = randomUUID();
      const { id } = await driver.send(text('echo', 'x', { blocking: true, contextId }));
      same(await driver.list(contextId), [id]);
    },
  },
  {
    name: 'context',
    needs: ['send'],
    async run(driver) {
      const contextId = `ours-${randomUUID()}`;
      const sent = [text('echo', 'a', { blocking: true, contextId }), text('echo', 'b', { blocking: true, contextId })];
      const tasks = [await driver.send(sent[0] ?? text('', '')), await driver.send(sent[1] ?? text('', ''))];
      same(
        tasks.map((task) => task.contextId),
        [contextId, contextId],
      );
      assert.notEqual(tasks[0]?.id, tasks[1]?.id);
    },
  },
  {
    name: 'question and answer',
    needs: ['send'],
    async run(driver) {
      const invoice = { invoiceNumber: `I-${randomUUID()}`, total: 5 };
      const asked = await driver.send({ parts: [{ data: invoice }], skill: 'approve_payment', blocking: true });
      is(asked, 'INPUT_REQUIRED');
      const { id: taskId, contextId } = asked;
      const answered = await driver.send({ parts: [{ text: 'approve' }], taskId, contextId, blocking: true });
      assert.equal(answered.id, taskId);
      is(answered, 'COMPLETED');
    },
  },
  {
    name: 'file',
    needs: ['send'],
    async run(driver) {
      const file = { raw: BYTES, name: 'n.bin', mediaType: 'application/octet-stream' };
      const { parts } = await driver.send({ parts: [file], skill: 'echo', blocking: true });
      same(parts, [file]);
    },
  },
  {
    name: 'file that a skill reads',
    needs: ['send', 'get'],
    async run(driver, { service }) {
      const raw = (await readFile(INVOICE)).toString('base64');
      const file = { raw, name: 'invoice.xml', mediaType: 'application/xml' };
      const task = await driver.send({ parts: [file], skill: 'extract_invoice_data', blocking: true });
      is(task, 'COMPLETED');
      const echoed = await driver.send({ parts: [file], skill: 'echo', blocking: true });
      const read = await driver.get(echoed.id);
      assert.equal(read.parts[0]?.raw, raw);
      if (service !== undefined) assert.equal(await rawOverRpc(service, echoed.id), raw);
    },
  },
  {
    name: 'data',
    needs: ['send'],
    async run(driver) {
      const data = { a: [1, 'é', null, true], b: { c: 0.5 } };
      const { parts } = await driver.send({ parts: [{ data }], skill: 'echo', blocking: true });
      same(parts[0]?.data, data);
    },
  },
  {
    name: 'webhooks',
    needs: ['send', 'setWebhook', 'getWebhook', 'listWebhooks', 'deleteWebhook'],
    async run(driver, { receiver }) {
      const { id: taskId } = await driver.send(text('echo', 'x', { blocking: true }));
      const webhook = { taskId, id: 'mine', url: receiver.url };
      same(await driver.setWebhook(webhook), webhook);
      same(await driver.getWebhook(taskId, 'mine'), webhook);
      same(await driver.listWebhooks(taskId), [webhook]);
      await driver.deleteWebhook(taskId, 'mine');
      same(await driver.listWebhooks(taskId), []);
    },
  },
  {
    name: 'webhook delivery',
    needs: ['send', 'setWebhook', 'get'],
    async run(driver, { receiver }) {
      let taskId = await hooked(driver, receiver, '2');
      const { state } = await driver.get(taskId);
      // Nothing is told behind the end: a caller that was too slow for the task gets a longer one.
      const isLate = plain(state) === 'COMPLETED' && receiver.heardOf(taskId) === '';
      if (isLate) taskId = await hooked(driver, receiver, '15');
      await eventually(() => assert.match(receiver.heardOf(taskId), /completed/i), { timeoutMs: 20_000 });
    },
  },
  {
    name: 'error: no such task',
    needs: ['get'],
    async run(driver) {
      await assert.rejects(driver.get(NO_TASK), /not.?found/i);
    },
  },
  {
    name: 'error: bad params',
    needs: ['send'],
    async run(driver) {
      await assert.rejects(driver.send(text('nope', 'x', { blocking: true })), /no skill of this agent/i);
    },
  },
  {
    name: 'error before a stream',
    needs: ['subscribe'],
    async run(driver) {
      await assert.rejects(driver.subscribe(NO_TASK), /not.?found/i);
    },
  },
  {
    name: 'auth',
    needs: ['send', 'get', 'stream'],
    isGuarded: true,
    async run(_driver, { guarded }) {
      assert.ok(guarded, 'there is no guarded agent');
      for (const wrong of [undefined, { bearer: 'wrong' }]) {
        await opened(guarded, wrong, (driver) => assert.rejects(driver.send(text('echo', 'x')), guarded.refusal));
      }
      for (const right of guarded.credentials) {
        await opened(guarded, right, async (driver) => {
          const task = await driver.send(text('echo', TEXT, { blocking: true }));
          is(task, 'COMPLETED');
          is(await driver.get(task.id), 'COMPLETED');
          endsWith(await driver.stream(text('countdown', '1')), 'COMPLETED');
        });
      }
    },
  },
];

/** The content of a task's file as a client of another version and binding gets it. */
async function rawOverRpc(service: string, id: string): Promise<unknown> {
  const response = await fetch(service, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id } }),
  });
  const { result } = (await response.json()) as { result: { artifacts: readonly { parts: readonly DrivenPart[] }[] } };
  return result.artifacts[0]?.parts[0]?.raw;
}

/** A countdown, and a webhook that was set behind its start. */
async function hooked(driver: InteropDriver, receiver: WebhookReceiver, seconds: string): Promise<string> {
  const { id: taskId } = await driver.send(text('countdown', seconds, { blocking: false }));
  await driver.setWebhook({ taskId, id: 'mine', url: receiver.url });
  return taskId;
}

/** Opens the client under test with a credential for the time of a piece of work. */
export async function opened(
  guarded: GuardedAgent,
  credential: DrivenCredential | undefined,
  work: (driver: InteropDriver) => Promise<void>,
): Promise<void> {
  const { driver, close } = await guarded.open(credential);
  // What the cell needs is there.
  await work(driver as InteropDriver).finally(close);
}

/** `TASK_STATE_INPUT_REQUIRED`, `input-required` and `TASK_STATE_CANCELLED` by one name each. */
export function plain(state: string): string {
  return state.toUpperCase().replace('TASK_STATE_', '').replaceAll('-', '_').replace('CANCELLED', 'CANCELED');
}

/** Equal as JSON: objects may come from another realm, or another process. */
export function same(actual: unknown, expected: unknown): void {
  assert.equal(canonicalize(actual), canonicalize(expected));
}

function is({ state }: DrivenTask, expected: string): void {
  assert.equal(plain(state), expected);
}

function endsWith(events: readonly DrivenEvent[], expected: string): void {
  const states = events.flatMap(({ state }) => (state === undefined ? [] : [plain(state)]));
  assert.equal(states.at(-1), expected, `states were ${states.join()}`);
}
