import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aMessage, RpcClient } from '../../../kit/callers/rpc-client.js';
import { type RunningApp, runApp } from '../../../kit/app/running-app.js';
import { settingsFile } from '../../../kit/app/settings-file.js';

describe('a service whose audit log is on a full disk', () => {
  let running: RunningApp;

  beforeAll(async () => {
    running = await runApp({ AUDIT_LOG: '/dev/full', PARLEY_FILE: settingsFile({ limits: { streamsOfClient: 2 } }) });
  });

  afterAll(() => running.close());

  it('fails the calls that it cannot record, on every way, and stays up (A2A-SEC-06, L8)', async () => {
    const client = new RpcClient(running.url);
    const sent = aMessage('Hello', { skillId: 'echo' });
    const rest = (path: string, body?: object): Promise<Response> =>
      fetch(`${running.url}${path}`, {
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
        headers: { 'a2a-version': '1.0', 'content-type': 'application/json' },
      });

    for (let round = 0; round < 3; round += 1) {
      const { error } = await client.call('SendMessage', sent);
      expect(error).toMatchObject({ code: -32000, message: expect.stringContaining('cannot write its audit log') });
      expect((await client.call('GetTask', { id: 'none' })).error).toMatchObject({ code: -32000 });
      expect((await rest('/message:send', sent)).status).toBe(503);
      expect((await rest('/tasks/none')).status).toBe(503);
      // None of them holds a slot for open streams.
      expect((await rest('/message:stream', sent)).status).toBe(503);
    }
    const many = await Promise.all(Array.from({ length: 20 }, () => client.call('ListTasks', {})));
    expect(many.map(({ error }) => error)).toEqual(Array(20).fill(expect.objectContaining({ code: -32000 })));
    expect((await fetch(`${running.url}/health/live`)).status).toBe(200);
    const ready = await fetch(`${running.url}/health/ready`);
    expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining('audit log cannot be written')]);
  });
});
