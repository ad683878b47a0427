import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { Webhook } from 'standardwebhooks';
import { PushHistory } from '../../../src/webhooks/delivery/attempt/push-history.js';
import { derivedKey } from '../../../src/webhooks/signing/secret-ring.js';
import { agentSignature } from '../../../src/webhooks/signing/signature.js';
import { WebhookTokens } from '../../../src/webhooks/signing/webhook-tokens.js';
import { SweepStore } from '../../../src/tasks/store/sweep.store.js';
import { eventually } from '../../kit/run/eventually.js';
import { chunkOf, COMPLETED, INPUT_REQUIRED, OWNER, PushBench, WORKING } from './push-bench.js';
import { answer, Receiver } from './receiver.js';

describe('delivery of webhooks', () => {
  let bench: PushBench;
  let receiver: Receiver;

  beforeEach(async () => {
    receiver = await new Receiver().listen();
    bench = await PushBench.start({ receivers: [receiver] });
  });
  afterEach(async () => {
    await bench.close();
    await receiver.close();
  });

  it('delivers every event of a task in order, the snapshot first (A2A-PN-05, -08, -15, TRAP-33)', async () => {
    const run = await bench.task({ url: receiver.url });
    await bench.commit(run, chunkOf('a', 'first'), WORKING, COMPLETED);
    await eventually(() => expect(receiver.seqs).toEqual([1, 2, 3, 4, 5]));
    expect(receiver.states).toEqual([
      'TASK_STATE_SUBMITTED',
      'TASK_STATE_WORKING',
      undefined,
      'TASK_STATE_WORKING',
      'TASK_STATE_COMPLETED',
    ]);
  });

  it('sends what the specification and every known receiver want (A2A-PN-01, -02, -03, -04, -10, -14, TRAP-46)', async () => {
    const run = await bench.task({
      url: receiver.url,
      token: 'tok-1',
      authentication: { scheme: 'Bearer', credentials: 'cred-1' },
    });
    await eventually(() => expect(receiver.seqs).toEqual([1, 2]));
    const [{ headers, body }] = receiver.received as [(typeof receiver.received)[0]];
    expect(headers).toMatchObject({
      'content-type': 'application/a2a+json',
      authorization: 'Bearer cred-1',
      'x-a2a-notification-token': 'tok-1',
      'a2a-notification-token': 'tok-1',
      'a2a-version': '1.0',
      'webhook-id': expect.stringMatching(new RegExp(`^evt_${run.taskId}_1_[0-9a-f]{12}$`)),
      'x-a2a-task-id': run.taskId,
      'x-a2a-attempt': '1',
      'accept-encoding': 'identity',
    });
    // A process that records nothing passes the caller's trace on as it is (W3C Trace Context §3).
    expect(headers.traceparent).toBe('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01');
    expect(headers.tracestate).toBe('vendor=1');
    const key = derivedKey({ id: 'm1', secret: 'master' }, 'acme', 'crm');
    expect(new Webhook(key.secret).verify(body, headers as Record<string, string>)).toHaveProperty(
      'task.id',
      run.taskId,
    );
    expect(headers['x-agent-signature']).toBe(agentSignature(key, body));
    expect(headers['x-agent-signature-key-id']).toBe('m1');
  });

  it('signs with the credentials of an HMAC scheme and does not send them', async () => {
    await bench.task({ url: receiver.url, authentication: { scheme: 'HMAC-SHA256', credentials: 'shared secret' } });
    await eventually(() => expect(receiver.seqs).toEqual([1, 2]));
    const [{ headers, body }] = receiver.received as [(typeof receiver.received)[0]];
    expect(headers.authorization).toBeUndefined();
    expect(headers['x-agent-signature']).toBe(agentSignature({ id: '', secret: 'shared secret' }, body));
  });

  it('proves itself by a token to a webhook that gave no credentials (A2A-PN-10, SEED-16)', async () => {
    const run = await bench.task({ url: receiver.url, authentication: { scheme: 'bearer' } });
    await eventually(() => expect(receiver.seqs).toEqual([1, 2]));
    const [{ headers, body }] = receiver.received as [(typeof receiver.received)[0]];
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
    const keys = createLocalJWKSet({ keys: [...(await bench.get(WebhookTokens).publicKeys())] });
    const checks = { issuer: 'https://agent.example.com', audience: new URL(receiver.url).origin, maxTokenAge: 300 };
    const { payload } = await jwtVerify(token, keys, checks);
    expect(payload).toMatchObject({
      jti: headers['webhook-id'],
      taskId: run.taskId,
      request_body_sha256: createHash('sha256').update(body).digest('hex'),
    });
    expect(JSON.stringify(await bench.get(WebhookTokens).publicKeys())).not.toContain('"d"');
  });

  it('proves itself to the receivers of 0.1 by RS256 and no audience (S4)', async () => {
    await bench.task({ url: receiver.url, authentication: { scheme: 'bearer' } }, '0.1');
    await eventually(() => expect(receiver.seqs).toEqual([1, 2]));
    const [{ headers, body }] = receiver.received as [(typeof receiver.received)[0]];
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
    const keys = createLocalJWKSet({ keys: [...(await bench.get(WebhookTokens).publicKeys())] });
    const { payload } = await jwtVerify(token, keys, { algorithms: ['RS256'], maxTokenAge: 300 });
    expect(payload).not.toHaveProperty('aud');
    expect(payload).toMatchObject({ request_body_sha256: createHash('sha256').update(body).digest('hex') });
  });

  it('takes only addresses that answer a challenge, where that is asked for (A2A-PN-11)', async () => {
    const asking = await PushBench.start({ receivers: [receiver], push: { provesOwnership: true } });
    await expect(asking.task({ url: receiver.url })).rejects.toMatchObject({ kind: 'InvalidParams' });
    receiver.behave = ({ method, path }, response) => {
      const { searchParams } = new URL(path, receiver.url);
      response.end(method === 'GET' ? searchParams.get('validationToken') : '');
    };
    await asking.task({ url: `${receiver.url}?mine=1` });
    await eventually(() => expect(receiver.received.filter(({ method }) => method === 'POST')).toHaveLength(2));
    expect(receiver.received.find(({ method }) => method === 'POST')?.path).toBe('/hook?mine=1');
    await asking.close();
  });

  it('sends only what the webhook asked for (SEED-13)', async () => {
    const run = await bench.task({ url: receiver.url, events: ['TASK_STATE_COMPLETED'] });
    await bench.commit(run, WORKING, COMPLETED);
    await eventually(() => expect(receiver.seqs).toEqual([4]));
  });

  it('tells a webhook that is registered too late how the task ended', async () => {
    const run = await bench.task();
    await bench.commit(run, COMPLETED);
    await bench.register(run.taskId, { url: receiver.url });
    await eventually(() => expect(receiver.states).toEqual(['TASK_STATE_COMPLETED']));
  });

  it('tells a webhook that is registered while the task waits that it waits', async () => {
    const run = await bench.task();
    await bench.commit(run, INPUT_REQUIRED);
    await bench.register(run.taskId, { url: receiver.url });
    await eventually(() => expect(receiver.states).toEqual(['TASK_STATE_INPUT_REQUIRED']));
  });

  it('tells a webhook that is registered in between only what comes', async () => {
    const run = await bench.task();
    await bench.register(run.taskId, { url: receiver.url });
    await bench.commit(run, COMPLETED);
    await eventually(() => expect(receiver.states).toEqual(['TASK_STATE_COMPLETED']));
  });

  it('sends nothing after the webhook was deleted (A2A-PN-12)', async () => {
    const run = await bench.task({ url: receiver.url, id: 'c1' });
    await eventually(() => expect(receiver.seqs).toEqual([1, 2]));
    await bench.configs.delete(OWNER, run.taskId, 'c1');
    const other = await new Receiver().listen();
    await bench.commit(run, COMPLETED);
    await other.close();
    await expect(bench.configs.get(OWNER, run.taskId, 'c1')).rejects.toMatchObject({ kind: 'TaskNotFound' });
    expect(receiver.seqs).toEqual([1, 2]);
  });

  it('sends everything that the old address has not acknowledged to the new one of a replaced webhook (M9)', async () => {
    const successor = await new Receiver().listen();
    const both = await PushBench.start({ receivers: [receiver, successor] });
    const held: ServerResponse[] = [];
    receiver.behave = (_request, response) => held.push(response);
    const run = await both.task();
    await both.register(run.taskId, { url: receiver.url, id: 'c1' });
    await both.commit(run, chunkOf('a', 'first'), chunkOf('b'), COMPLETED);
    await eventually(() => expect(receiver.seqs).toEqual([3]));
    await both.register(run.taskId, { url: successor.url, id: 'c1' });
    for (const response of held) response.end();
    await eventually(() => expect(successor.seqs).toEqual([3, 4, 5]));
    await eventually(async () => expect(await both.waiting()).toEqual([]));
    expect(receiver.seqs).toEqual([3]);
    await both.close();
    await successor.close();
  });

  it('leaves nothing behind of a webhook that was deleted (L9)', async () => {
    const broken = await new Receiver(answer(500)).listen();
    const both = await PushBench.start({ receivers: [receiver, broken] });
    const run = await both.task({ url: broken.url, id: 'c1' });
    await eventually(async () => {
      const { attempts } = await both.get(PushHistory).of(OWNER, run.taskId);
      expect(attempts).toHaveLength(1);
    });
    await both.configs.delete(OWNER, run.taskId, 'c1');
    expect(await both.cursorFields(run.taskId)).toEqual([]);
    await both.close();
    await broken.close();
  });

  it('sends the whole task to a webhook of 0.3, and the status to one of 0.1', async () => {
    const run = await bench.task({ url: receiver.url, token: 'tok' }, '0.3');
    await bench.commit(run, COMPLETED);
    await eventually(() => expect(receiver.seqs).toEqual([1, 2, 3]));
    expect(JSON.parse(receiver.received[2]?.body ?? '')).toMatchObject({
      kind: 'task',
      status: { state: 'completed' },
    });
    expect(receiver.received[2]?.headers['content-type']).toBe('application/json');

    const older = await bench.task({ url: receiver.url, token: 'tok' }, '0.1');
    await bench.commit(older, COMPLETED);
    await eventually(() => expect(receiver.seqs).toEqual([1, 2, 3, 1, 2, 3]));
    const { body, headers } = receiver.received[5] ?? { body: '', headers: {} };
    expect(JSON.parse(body)).toMatchObject({
      eventType: 'status',
      taskId: older.taskId,
      status: { state: 'completed' },
    });
    expect(headers.authorization).toBe('Bearer tok');
  });

  it('gives the events of a task that has the id of an earlier one other ids (L7)', async () => {
    const { taskId } = await bench.task({ url: receiver.url }, '0.1');
    await eventually(() => expect(receiver.seqs).toEqual([1, 2]));
    expect(await bench.get(SweepStore).purge(taskId, 'whatever')).toBe(true);
    await bench.task({ url: receiver.url }, '0.1', taskId);
    await eventually(() => expect(receiver.seqs).toEqual([1, 2, 1, 2]));
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(4);
  });

  it('serves several webhooks of a task apart from each other (A2A-PCFG-04, A2A-PN-08)', async () => {
    const broken = await new Receiver(answer(500)).listen();
    const both = await PushBench.start({ receivers: [receiver, broken] });
    const run = await both.task({ url: receiver.url });
    await both.register(run.taskId, { url: broken.url });
    await both.commit(run, WORKING, COMPLETED);
    await eventually(() => expect(receiver.seqs).toEqual([1, 2, 3, 4]));
    expect(new Set(broken.seqs).size).toBeLessThanOrEqual(2);
    await both.close();
    await broken.close();
  });
});
