import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../kit/run/eventually.js';
import { McpClient, McpSession } from '../../kit/callers/mcp-client.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';
import { MCP_SKILLS, SEEN } from './skills.js';

const FORMS = { elicitation: { form: {} } };
const TRIALS = 100;

describe('many MCP calls on two replicas', () => {
  let apps: readonly RunningApp[];
  let clients: readonly McpClient[];
  const clientOf = (at: number): McpClient => {
    const client = clients[at % clients.length];
    if (client === undefined) throw new Error('There is no client');
    return client;
  };

  beforeAll(async () => {
    const SECRET_KEYS = `k:${randomBytes(32).toString('base64')}`;
    const variables = { MCP: 'true', KEY_PREFIX: `test-${randomUUID()}`, SECRET_KEYS, DEFAULT_SKILL: 'quick' };
    apps = await Promise.all([runApp(variables, { skills: MCP_SKILLS }), runApp(variables, { skills: MCP_SKILLS })]);
    clients = apps.map(({ url }) => new McpClient(url, {}, FORMS));
  });

  afterAll(async () => {
    await Promise.all(apps.map((app) => app.close()));
  });

  it(`an answer that comes ${String(TRIALS)} times begins one turn (MCP-SEC-5)`, async () => {
    const asked = await clientOf(0).call('asking', { text: 'go' });
    const [key = ''] = Object.keys(asked.inputRequests as object);
    const more = {
      inputResponses: { [key]: { action: 'accept', content: { n: 1 } } },
      requestState: asked.requestState,
    };
    const results = await Promise.all(
      Array.from({ length: TRIALS }, (_unused, at) => clientOf(at).call('asking', { text: 'go' }, more)),
    );
    expect([...new Set(results.map((result) => JSON.stringify(result)))]).toHaveLength(1);
    expect(results[0]).toMatchObject({ content: [{ text: 'got [{"n":1}] ' }] });
  });

  it(`each of ${String(TRIALS)} closed streams cancels its task, and its skill is told`, async () => {
    const before = { ...SEEN };
    const calls = Array.from({ length: TRIALS }, (_unused, at) => {
      const leave = new AbortController();
      const params = { name: 'endless', arguments: { text: 'x' } };
      return { leave, answer: clientOf(at).request('tools/call', params, { signal: leave.signal }) };
    });
    await eventually(() => {
      expect(SEEN.runs - before.runs).toBe(TRIALS);
    });
    for (const { leave } of calls) leave.abort();
    await Promise.allSettled(calls.map(({ answer }) => answer));
    await eventually(() => {
      expect(SEEN.aborted - before.aborted).toBe(TRIALS);
    });
  });

  it('a call whose stream is cut again and again has one response, and progress that is told once (MCP-SESSION-2)', async () => {
    const session = await McpSession.begin(clientOf(0));
    const params = { name: 'double', arguments: { n: 3, ms: 1500 }, _meta: { progressToken: 'p' } };
    const leave = new AbortController();
    const response = await session.post({ id: 1, method: 'tools/call', params }, { signal: leave.signal });
    const reader = response.body?.getReader();
    let seen = '';
    while (!seen.includes('notifications/progress')) seen += new TextDecoder().decode((await reader?.read())?.value);
    leave.abort();
    const last = [...seen.matchAll(/^id: (\S+)$/gm)].at(-1)?.[1] ?? '';
    const answers = await Promise.all([0, 1, 2, 3].map((at) => session.at(clientOf(at)).resume(last)));
    for (const { messages } of answers) {
      const results = messages.filter((message) => message.result !== undefined);
      expect(results).toMatchObject([{ id: 1, result: { structuredContent: { n: 6 } } }]);
      const words = messages.flatMap(({ params: told }) => told?.message ?? []);
      expect(words).not.toContain('counting');
    }
  });
});
