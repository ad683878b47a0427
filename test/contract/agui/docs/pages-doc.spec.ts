import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../../../src/main/app.environment.js';
import { settingsFile } from '../../../kit/app/settings-file.js';
import { agentOf } from './page-agent.js';

describe('docs/pages.md', () => {
  it('has an agent that sends the token of the person', async () => {
    const server = createServer((request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const started = { type: 'RUN_STARTED', threadId: 't', runId: 'r' };
      const finished = { ...started, type: 'RUN_FINISHED', result: request.headers.authorization };
      response.end(`data: ${JSON.stringify(started)}\n\ndata: ${JSON.stringify(finished)}\n\n`);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const agent = agentOf('echo', 't', () => Promise.resolve('secret'));
    expect(agent.url).toBe('https://agent.example/agui/echo');
    agent.url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    agent.addMessage({ id: 'u', role: 'user', content: 'hello' });
    expect((await agent.runAgent()).result).toBe('Bearer secret');
    server.close();
  });

  it('names settings that exist', () => {
    const text = readFileSync('docs/pages.md', 'utf8');
    const { agui } = loadConfig({ PARLEY_FILE: settingsFile({ agui: { allowedOrigins: 'https://app.example' } }) });
    const named = [...text.matchAll(/`agui\.(\w+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !(name in agui))).toEqual([]);
  });
});
