import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { NULL_ID, readRpcRequest, rpcErrorText, rpcResultText } from './rpc-envelope.js';

function read(body: unknown): ReturnType<typeof readRpcRequest> {
  return readRpcRequest(body, Buffer.from(JSON.stringify(body)));
}

const request = { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 't' } };

describe(readRpcRequest.name, () => {
  it('A2A-RPC-02: reads a request', () => {
    expect(read(request)).toEqual({ id: '1', hasId: true, method: 'GetTask', params: { id: 't' } });
  });

  it.each([0, '', 'abc', -7, 1.5, null, 'x'.repeat(256)])('A2A-RPC-10: echoes id %j', (value) => {
    const id = JSON.stringify(value);
    expect(read({ ...request, id: value })).toMatchObject({ id, hasId: true, method: 'GetTask' });
    expect(read({ id: value })).toMatchObject({ id, error: { kind: 'InvalidRequest' } });
  });

  it.each([[{}], [[]], [true], ['x'.repeat(257)]])('A2A-RPC-04: refuses id %j with id null', (id) => {
    expect(read({ ...request, id })).toMatchObject({ id: NULL_ID, error: { kind: 'InvalidRequest' } });
  });

  it('A2A-RPC-10: reports a missing id and leaves the refusal to the dispatcher', () => {
    expect(read({ jsonrpc: '2.0', method: 'tasks/get' })).toEqual({
      id: NULL_ID,
      hasId: false,
      method: 'tasks/get',
      params: undefined,
    });
  });

  it.each([
    ['no jsonrpc', { jsonrpc: undefined }],
    ['another jsonrpc', { jsonrpc: '1.0' }],
    ['no method', { method: undefined }],
    ['a method that is no string', { method: 5 }],
    ['an empty method', { method: '' }],
    ['a method of 65 characters', { method: 'm'.repeat(65) }],
    ['params as an array', { params: [] }],
    ['params as a string', { params: 'x' }],
  ])('A2A-RPC-04: refuses %s', (_name, change) => {
    expect(read({ ...request, ...change })).toMatchObject({ id: '1', error: { kind: 'InvalidRequest' } });
  });

  it('A2A-RPC-11: answers a batch with one error', () => {
    expect(read([request, request])).toMatchObject({ id: NULL_ID, error: { kind: 'InvalidRequest' } });
  });

  it('takes params null as absent (A2A-JSON-07)', () => {
    expect(read({ ...request, params: null })).toMatchObject({ params: undefined });
  });

  it('gives a request or a fault for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const found = read(value);
        return 'error' in found ? found.error.kind === 'InvalidRequest' : typeof found.method === 'string';
      }),
    );
  });
});

describe('response texts', () => {
  it('splices the result in as it is', () => {
    expect(rpcResultText('"a\\"b"', '{"n":12345678901234567890}')).toBe(
      '{"jsonrpc":"2.0","id":"a\\"b","result":{"n":12345678901234567890}}',
    );
  });

  it('writes an error', () => {
    expect(rpcErrorText(NULL_ID, { code: -32700, message: 'Invalid JSON payload' })).toBe(
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Invalid JSON payload"}}',
    );
  });
});
