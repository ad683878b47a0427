import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Receiver } from '../../integration/webhooks/receiver.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { collect } from '../../kit/callers/collect.js';
import { eventually } from '../../kit/run/eventually.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';
import { SCRIPTED } from '../../kit/skills/scripted.skill.js';

/** Makes the scripted skill ask, so that its task waits without a run. */
const ASKS = { metadata: { script: [{ kind: 'status', state: 'TASK_STATE_INPUT_REQUIRED', parts: [{ text: '?' }] }] } };
const SCOPES = 'a2a:message.send a2a:tasks.read a2a:tasks.cancel a2a:push.write a2a:push.read';
const API_KEYS = ['alice', 'bob'].map((name) => apiKeyEntry(`${name}.secret`, { tenant: 'default', scopes: SCOPES }));

describe('the events of a task', () => {
  let receiver: Receiver;
  let running: RunningApp;
  let alice: RpcClient;
  let bob: RpcClient;

  beforeAll(async () => {
    receiver = await new Receiver().listen();
    const egress = { EGRESS_ALLOW: `${receiver.host}=127.0.0.1/32!http` };
    const shared = { DEFAULT_SKILL: 'scripted', API_KEYS: API_KEYS.join('\n'), OWNERSHIP: 'tenant' };
    running = await runApp({ ...egress, ...shared }, SCRIPTED);
    [alice, bob] = ['alice', 'bob'].map((name) => new RpcClient(running.url, { 'x-api-key': `${name}.secret` })) as [
      RpcClient,
      RpcClient,
    ];
  });

  afterEach(() => {
    receiver.received.length = 0;
  });

  afterAll(async () => {
    await running.close();
    await receiver.close();
  });

  function hooked(rest: object = {}): object {
    return { ...aMessage('x'), configuration: { taskPushNotificationConfig: { url: receiver.url }, ...rest } };
  }

  async function streamed(configuration: object): Promise<void> {
    const last = (await collect(alice.stream('SendStreamingMessage', hooked(configuration)))).at(-1);
    expect(last?.data.result).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } });
  }

  it.each<[string, () => Promise<unknown>]>([
    ['waits', () => alice.task('SendMessage', hooked())],
    ['does not wait', () => alice.task('SendMessage', hooked({ returnImmediately: true }))],
    ['streams', () => streamed({ returnImmediately: true })],
  ])('reach its webhook when its caller %s (TRAP-33, A2A-BLK-04, A2A-SEND-04)', async (_how, send) => {
    await send();
    await eventually(() => expect(receiver.states.at(-1)).toBe('TASK_STATE_COMPLETED'));
    expect(receiver.states[0]).toBe('TASK_STATE_SUBMITTED');
    expect(receiver.seqs).toEqual(receiver.seqs.map((_seq, at) => at + 1));
  });

  it('reach streams and webhooks when it is canceled while no skill runs (TRAP-34, A2A-CANC-05)', async () => {
    const { id } = await alice.task('SendMessage', { ...hooked(), ...aMessage('x', ASKS) });
    const stream = alice.stream('SubscribeToTask', { id });
    await stream.next();
    await alice.task('CancelTask', { id });
    const last = (await collect(stream)).at(-1);
    expect(last?.data.result).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_CANCELED' } } });
    await eventually(() => expect(receiver.states.at(-1)).toBe('TASK_STATE_CANCELED'));
  });

  it('reach the webhooks of all callers who may see it (TRAP-52, A2A-PN-13)', async () => {
    const { id: taskId } = await alice.task('SendMessage', aMessage('x', ASKS));
    for (const [name, caller] of Object.entries({ alice, bob })) {
      await caller.call('CreateTaskPushNotificationConfig', { taskId, id: name, url: `${receiver.url}/${name}` });
    }
    await bob.task('SendMessage', aMessage('go on', { taskId }));
    await eventually(() => {
      const ended = receiver.received.filter(({ body }) => body.includes('TASK_STATE_COMPLETED'));
      expect(ended.map(({ path }) => path).sort()).toEqual(['/hook/alice', '/hook/bob']);
    });
  });
});
