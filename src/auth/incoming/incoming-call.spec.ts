import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readCredentials } from './credentials.js';
import { grpcCall, httpCall } from './incoming-call.js';

function aRequest(rawHeaders: string[], url = '/'): { raw: IncomingMessage; ip: string } {
  const raw = new IncomingMessage(new Socket());
  Object.assign(raw, { rawHeaders, url, method: 'POST' });
  return { raw, ip: '192.0.2.1' };
}

describe(httpCall.name, () => {
  it('finds every value of a header, also those that Node drops', () => {
    const call = httpCall(aRequest(['Authorization', 'Bearer a', 'X', 'authorization', 'AUTHORIZATION', 'Bearer b']));
    expect(call.header('authorization')).toEqual(['Bearer a', 'Bearer b']);
  });

  it('reads any headers and targets without failing', () => {
    const name = fc.oneof(fc.constantFrom('Authorization', 'X-API-Key', 'DPoP', 'Host'), fc.string());
    const headers = fc.array(fc.tuple(name, fc.string({ unit: 'binary' }))).map((pairs) => pairs.flat());
    fc.assert(
      fc.property(headers, fc.string(), (rawHeaders, target) => {
        const { kind } = readCredentials(httpCall(aRequest(rawHeaders, target)));
        expect(['none', 'token', 'api-key', 'malformed']).toContain(kind);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe(grpcCall.name, () => {
  it('reads text metadata and no binary metadata', () => {
    const values: Record<string, (string | Buffer)[]> = { authorization: ['Bearer a'], 'x-bin': [Buffer.from('b')] };
    const call = grpcCall(
      { get: (name) => values[name] ?? [] },
      {
        path: '/a2a.v1.A2AService/GetTask',
        peer: '192.0.2.1',
        authority: 'agent.example',
      },
    );
    expect(call.header('authorization')).toEqual(['Bearer a']);
    expect(call.header('x-bin')).toEqual([]);
    expect(call.header('dpop')).toEqual([]);
  });
});
