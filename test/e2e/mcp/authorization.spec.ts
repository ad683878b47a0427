import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestIssuer } from '../../kit/auth/test-issuer.js';
import { McpClient } from '../../kit/mcp/mcp-client.js';
import { RpcClient } from '../../kit/rpc-client.js';
import { runApp, type RunningApp } from '../../kit/running-app.js';
import { MCP_SKILLS } from './skills.js';

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
    app = await runApp({ MCP: 'true', ...secrets, ...resources }, { skills: MCP_SKILLS });
  });

  afterAll(async () => {
    await app.close();
    await issuer.stop();
  });

  const bearer = (aud: string, scope = 'a2a:message.send a2a:tasks.read'): { readonly authorization: string } => ({
    authorization: `Bearer ${issuer.token({ aud, scope, client_id: 'host', sub: 'host' })}`,
  });

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
  ])('takes a token for %s there only (MCP-AUTH-3)', async (_name, audience, atMcp, atService) => {
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
});
