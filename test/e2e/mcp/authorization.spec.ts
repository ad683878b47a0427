import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestIssuer } from '../../kit/auth/test-issuer.js';
import { eventually } from '../../kit/run/eventually.js';
import { type McpAnswer, McpClient, TASKS } from '../../kit/callers/mcp-client.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';
import { MCP_SKILLS } from './skills.js';
import { settingsFile } from '../../kit/app/settings-file.js';

const SERVICE = 'https://agent.example/a2a';
const MCP = 'https://agent.example/mcp';
const METADATA = 'https://agent.example/.well-known/oauth-protected-resource/mcp';

describe('authorization of the MCP endpoint', () => {
  let issuer: TestIssuer;
  let app: RunningApp;

  beforeAll(async () => {
    issuer = await TestIssuer.start();
    const secrets = { SECRET_KEYS: `k:${randomBytes(32).toString('base64')}`, DEFAULT_SKILL: 'quick' };
    const resources = { PUBLIC_URL: 'https://agent.example', JWT_AUDIENCE: SERVICE, JWT_ISSUER: issuer.url };
    const limits = {
      RATE_WRITE: '1/50',
      QUOTA_LIVE_TASKS: '4',
      PARLEY_FILE: settingsFile({ mcp: { taskAfterMs: 100 }, limits: { streamsOfClient: 2 } }),
    };
    app = await runApp({ MCP: 'true', ...secrets, ...resources, ...limits }, { skills: MCP_SKILLS });
  });

  afterAll(async () => {
    await app.close();
    await issuer.stop();
  });

  const bearer = (
    aud: string,
    scope = 'a2a:message.send a2a:tasks.read',
    client = 'host',
  ): { readonly authorization: string } => ({
    authorization: `Bearer ${issuer.token({ aud, scope, client_id: client, sub: client })}`,
  });

  const bothDoors = (client: string): readonly [McpClient, RpcClient] => [
    new McpClient(app.url, bearer(MCP, undefined, client)),
    new RpcClient(app.url, bearer(SERVICE, undefined, client)),
  ];

  it('has a metadata document of its own, and leaves that of the service (MCP-AUTH-1)', async () => {
    const at = async (path: string): Promise<unknown> =>
      (await fetch(`${app.url}/.well-known/oauth-protected-resource${path}`)).json();
    expect(await at('/mcp')).toMatchObject({
      ...{ resource: MCP, authorization_servers: [issuer.url], bearer_methods_supported: ['header'] },
      scopes_supported: expect.arrayContaining(['a2a:message.send', 'skill:obey']),
    });
    expect(await at('/a2a')).toMatchObject({ resource: SERVICE });
    expect(await at('')).toMatchObject({ resource: SERVICE });
    expect((await fetch(`${app.url}/.well-known/oauth-protected-resource/mcp/x`)).status).toBe(404);
  });

  it('tells callers where to get a token, for which scopes (MCP-AUTH-2)', async () => {
    const response = await new McpClient(app.url).post({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer realm="a2a", scope="a2a:message.send a2a:tasks.read a2a:tasks.cancel", resource_metadata="${METADATA}"`,
    );
  });

  it('names all missing scopes in one challenge (MCP-AUTH-2)', async () => {
    const client = new McpClient(app.url, bearer(MCP, 'a2a:tasks.read'));
    const { status, headers } = await client.request('tools/call', { name: 'obey', arguments: { text: 'x' } });
    expect(status).toBe(403);
    expect(headers.get('www-authenticate')).toBe(
      `Bearer realm="a2a", error="insufficient_scope", scope="a2a:message.send skill:obey", resource_metadata="${METADATA}"`,
    );
  });

  it.each([
    ['its own door', MCP, 200, 401],
    ['the rest of the service', SERVICE, 401, 200],
    ['another service', 'https://other.example/mcp', 401, 401],
  ])('takes a token for %s there only (MCP-AUTH-3, MCP-SEC-2)', async (_name, audience, atMcp, atService) => {
    const headers = bearer(audience);
    const { status } = await new McpClient(app.url, headers).request('tools/call', {
      name: 'quick',
      arguments: { text: 'x' },
    });
    const service = await new RpcClient(app.url, headers).post({
      jsonrpc: '2.0',
      id: 1,
      method: 'ListTasks',
      params: {},
    });
    expect([status, service.status]).toEqual([atMcp, atService]);
  });

  it('counts a caller at one rate, whichever door it takes (MCP-SEC-14)', async () => {
    const [mcp, service] = bothDoors('greedy');
    const statuses: number[] = [];
    for (let at = 0; at < 6; at += 1) {
      statuses.push((await mcp.request('tools/call', { name: 'quick', arguments: { text: 'x' } })).status);
      statuses.push(
        (await service.post({ jsonrpc: '2.0', id: at, method: 'SendMessage', params: aMessage('x') })).status,
      );
    }
    // Ten messages of five units each are the burst of 50.
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429, 429]);
  });

  it('counts the tasks of a caller at one quota, whichever door began them (MCP-SEC-14)', async () => {
    const [mcp, service] = bothDoors('busy');
    const byMcp = (): Promise<McpAnswer> =>
      mcp.with(TASKS).request('tools/call', { name: 'endless', arguments: { text: 'x' } });
    const byService = async (): Promise<number> => {
      const configuration = { returnImmediately: true };
      const params = { ...aMessage('x'), metadata: { skillId: 'endless' }, configuration };
      return (await service.post({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params })).status;
    };
    for (let at = 0; at < 2; at += 1) {
      expect((await byMcp()).response.result).toMatchObject({ resultType: 'task' });
      expect(await byService()).toBe(200);
    }
    expect([(await byMcp()).status, await byService()]).toEqual([429, 429]);
  });

  it('counts a subscription among the streams of its caller at every door (MCP-SEC-14)', async () => {
    const [mcp, service] = bothDoors('listener');
    const leave = new AbortController();
    const listened = await Promise.all([listen(mcp, leave.signal), listen(mcp, leave.signal)]);
    expect(listened.map(({ status }) => status)).toEqual([200, 200]);
    const params = { ...aMessage('x'), metadata: { skillId: 'endless' } };
    const stream = (): Promise<Response> =>
      service.post({ jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params });
    expect((await stream()).status).toBe(429);
    expect((await listen(mcp)).status).toBe(429);
    leave.abort();
    await eventually(async () => {
      const response = await stream();
      await response.body?.cancel();
      expect(response.status).toBe(200);
    });
  });
});

/** A subscription to nothing that changes, open until it is left. */
function listen(client: McpClient, signal?: AbortSignal): Promise<Response> {
  const method = 'subscriptions/listen';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method };
  const body = { jsonrpc: '2.0', id: 1, method, params: { notifications: {}, _meta } };
  return client.post(body, headers, signal === undefined ? {} : { signal });
}
