import { writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../../src/main/app.environment.js';
import { checkAgents } from '../../../src/cli/ops/doctor/agent-check.js';
import { checkCollector } from '../../../src/cli/ops/doctor/collector-check.js';
import { checkModels } from '../../../src/cli/ops/doctor/model-check.js';
import { temporaryFolder } from '../../kit/run/temporary-folder.mjs';
import { AgentStub } from '../../kit/stubs/agent-stub.js';

const NOWHERE = 'http://127.0.0.1:1';

let servers: Server[] = [];

async function served(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers = [...servers, server];
  await once(server, 'listening');
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

describe('doctor asks other services', () => {
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }
  });

  it('the model server: whether it answers, takes the key, and has the model', async () => {
    const url = await served(({ headers, url: path }, response) => {
      if (path === '/none/models') return void response.writeHead(404).end();
      if (headers.authorization !== 'Bearer right') return void response.writeHead(401).end();
      response.end('{"data":[{"id":"small"},{"id":"large"}]}');
    });
    const check = async (variables: Readonly<Record<string, string>>): Promise<unknown> =>
      checkModels(loadConfig({ MODEL_URL: `${url}/v1`, MODEL_NAME: 'small', MODEL_KEY: 'right', ...variables }));
    expect(await checkModels(loadConfig({}))).toEqual([]);
    expect(await check({})).toEqual([{ check: 'model', severity: 'ok', text: `${url} has small` }]);
    expect(await check({ MODEL_URL: `${url}/none` })).toMatchObject([{ severity: 'ok' }]);
    expect(await check({ MODEL_KEY: 'wrong' })).toMatchObject([{ severity: 'fail', fix: 'Correct MODEL_KEY' }]);
    expect(await check({ MODEL_NAME: 'huge' })).toMatchObject([
      { severity: 'warn', text: expect.stringContaining('does not list huge; it has small, large') },
    ]);
    const [unreached] = (await check({ MODEL_URL: `${NOWHERE}/v1` })) as readonly { text: string }[];
    expect(unreached).toMatchObject({ severity: 'warn', fix: expect.stringContaining('MODEL_URL') });
  });

  it('the collector: an export without spans, as its protocol has it', async () => {
    const seen: unknown[] = [];
    const url = await served(({ headers, url: path, method }, response) => {
      seen.push([method, path, headers['content-type']]);
      response.writeHead(path === '/v1/traces' ? 200 : 404).end();
    });
    const check = async (variables: Readonly<Record<string, string>>): Promise<unknown> =>
      checkCollector(loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: url, ...variables }));
    expect(await checkCollector(loadConfig({}))).toEqual([]);
    expect(await check({})).toMatchObject([{ severity: 'ok' }]);
    expect(await check({ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' })).toMatchObject([{ severity: 'ok' }]);
    expect(await check({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toMatchObject([{ severity: 'ok' }]);
    expect(seen).toEqual([
      ['POST', '/v1/traces', 'application/x-protobuf'],
      ['POST', '/v1/traces', 'application/json'],
    ]);
    expect(await check({ OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/wrong` })).toMatchObject([
      { severity: 'warn', text: expect.stringContaining('status 404'), fix: expect.stringContaining('OTEL_') },
    ]);
    for (const protocol of ['http/protobuf', 'grpc'])
      expect(
        await check({ OTEL_EXPORTER_OTLP_ENDPOINT: NOWHERE, OTEL_EXPORTER_OTLP_PROTOCOL: protocol }),
      ).toMatchObject([{ severity: 'warn', text: expect.stringMatching(/ECONNREFUSED|bad port/) }]);
  });

  it('each agent: its card, and an interface of it that can be called', async () => {
    const agent = await new AgentStub().start();
    const cardless = await served((_request, response) => response.end('{}'));
    const file = join(temporaryFolder('agents'), 'agents.json');
    const agents = { good: agent.url, bad: cardless, gone: NOWHERE, closed: 'https://10.0.0.1' };
    const entries = Object.entries(agents).map(([name, card]) => [name, { card }]);
    writeFileSync(file, JSON.stringify(Object.fromEntries(entries)));
    const allowed = [agent.url, cardless, NOWHERE].map((url) => `${new URL(url).host}=127.0.0.1/32!http`);
    try {
      const found = await checkAgents(loadConfig({ AGENTS_FILE: file, EGRESS_ALLOW: allowed.join(';') }));
      expect(found.map(({ severity, text }) => [severity, text.split(':')[0]])).toEqual([
        ['ok', 'good'],
        ['warn', 'bad'],
        ['warn', 'gone'],
        ['warn', 'closed'],
      ]);
      for (const { severity, fix } of found) if (severity === 'warn') expect(fix).toContain('EGRESS_ALLOW');
      expect(agent.requests).toEqual([]);
    } finally {
      await agent.stop();
    }
  });
});
