import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { AgentAuth } from '../http/agent-auth.js';
import type { AgentHttp } from '../http/agent-http.js';
import { JsonApi } from './json-api.js';

const HINT = 'is at /registry of its address';
const NO_CREDENTIAL = { credential: async () => ({ headers: {} }) } as unknown as AgentAuth;

/** Asks a server that knows no path. */
function asked(base: string, name: 'registry' | 'agent'): Promise<unknown> {
  const body = Readable.from([Buffer.from('{"error":{"message":"There is nothing at this path"}}')]);
  const http = { send: async () => ({ status: 404, headers: {}, body }) } as unknown as AgentHttp;
  return new JsonApi(base, http, NO_CREDENTIAL, name).get('search');
}

describe(JsonApi.name, () => {
  it('says where a registry is when its address is that of a service', async () => {
    await expect(asked('https://agents.example.com', 'registry')).rejects.toThrow(HINT);
    await expect(asked('https://agents.example.com/registry', 'registry')).rejects.toThrow(/this path$/);
    await expect(asked('https://agents.example.com', 'agent')).rejects.toThrow(/this path$/);
  });
});
