import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';
import { RpcClient } from '../../kit/callers/rpc-client.js';
import { aRun, KEYS, PageServices } from '../../kit/agui/page-service.js';
import { say } from '../../kit/agui/pages.js';
import { eventually } from '../../kit/run/eventually.js';
import { PAGE_SKILLS } from './skills.js';

describe('the surroundings of a page (AG-UI)', () => {
  it('shows the children of a task, each as an activity with its end (AGUI-19)', async () => {
    const services = await PageServices.start();
    const page = services.page('team');
    const { error } = await say(page, 'go');
    expect(error).toBeUndefined();
    const rpc = new RpcClient(services.base(), { 'x-api-key': KEYS.ann });
    const children = page.messages.filter((one) => 'activityType' in one && one.activityType === 'parley.task');
    expect(children.map(({ content }) => content)).toEqual(
      [1, 2, 3].map(() => expect.objectContaining({ skillId: 'count', state: 'TASK_STATE_COMPLETED' })),
    );
    for (const { id } of children)
      expect((await rpc.task('GetTask', { id })).status.state).toBe('TASK_STATE_COMPLETED');
    await services.close();
  });

  it('cancels nothing when the service leaves, although the page asked for that when it goes (AGUI-42)', async () => {
    const shared = { KEY_PREFIX: `test-${randomUUID()}`, SECRET_KEYS: `k:${Buffer.alloc(32, 7).toString('base64')}` };
    const [leaving, staying] = await Promise.all([PageServices.start(1, shared), PageServices.start(1, shared)]);
    const body = aRun('30 100', { forwardedProps: { parley: { onDisconnect: 'cancel' } } });
    const response = await leaving.post('count', body);
    const taskId = response.headers.get('parley-task-id');
    const rest = response.text();
    await leaving.close();
    expect(await rest).not.toMatch(/"RUN_(FINISHED|ERROR)"/);
    const rpc = new RpcClient(staying.base(), { 'x-api-key': KEYS.ann });
    await eventually(async () => {
      expect((await rpc.task('GetTask', { id: taskId })).status.state).toBe('TASK_STATE_COMPLETED');
    });
    await staying.close();
  });

  describe('of a service without authentication', () => {
    let app: RunningApp;
    beforeAll(async () => {
      app = await runApp({ AGUI: 'true' }, { skills: PAGE_SKILLS });
    });
    afterAll(() => app.close());

    const statusFor = async (headers: Record<string, string>): Promise<number | undefined> => {
      const sent = request(`${app.url}/agui/tell`, {
        ...{ method: 'POST', headers: { 'content-type': 'application/json', ...headers } },
      });
      sent.end(JSON.stringify(aRun('x')));
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    };

    it.each([
      ['a page of this machine', { origin: 'http://localhost:5173' }, 200],
      ['a page of another origin', { origin: 'https://evil.example' }, 403],
      ['a page whose name leads to this machine', { host: 'evil.example' }, 403],
      ['a program', {}, 200],
    ])('answers %s accordingly (AGUI-56)', async (_name, headers, status) => {
      expect(await statusFor(headers as Record<string, string>)).toBe(status);
    });
  });
});
