import { describe, expect, it } from '@jest/globals';
import { A2AError } from '../model/errors.js';
import { clientCapabilities, undeclared } from './client-capabilities.js';
import { badParams, mcpErrorOf, missingCapability } from './mcp-fault.js';
import { idIn, mcpErrorText, mcpResultText, readMcpMessage } from './mcp-message.js';
import { revisionsOf, sessionRevision, TASKS_EXTENSION } from './revision.js';

function read(body: unknown): ReturnType<typeof readMcpMessage> {
  return readMcpMessage(body, Buffer.from(JSON.stringify(body)));
}

describe(readMcpMessage.name, () => {
  it('distinguishes requests, notifications and responses', () => {
    const base = { jsonrpc: '2.0' };
    expect(read({ ...base, id: 7, method: 'ping' })).toEqual({
      kind: 'request',
      id: '7',
      method: 'ping',
      params: {},
    });
    expect(read({ ...base, method: 'notifications/initialized', params: { a: 1 } })).toEqual({
      kind: 'notification',
      method: 'notifications/initialized',
      params: { a: 1 },
    });
    expect(read({ ...base, id: 'x', result: { action: 'accept' } })).toEqual({
      kind: 'response',
      id: '"x"',
      result: { action: 'accept' },
    });
  });

  it.each([
    ['a batch (MCP-VER-2)', [{ jsonrpc: '2.0', id: 1, method: 'ping' }]],
    ['another version', { jsonrpc: '1.0', id: 1, method: 'ping' }],
    ['an id of null', { jsonrpc: '2.0', id: null, method: 'ping' }],
    ['a long id', { jsonrpc: '2.0', id: 'x'.repeat(257), method: 'ping' }],
    ['params that are a list', { jsonrpc: '2.0', id: 1, method: 'ping', params: [] }],
    ['no method and no id', { jsonrpc: '2.0' }],
    ['a text', 'ping'],
  ])('refuses %s with -32600 and HTTP 400', (_name, body) => {
    expect(() => read(body)).toThrow(A2AError);
    try {
      read(body);
    } catch (error) {
      expect(error instanceof A2AError && mcpErrorOf(error)).toMatchObject({ status: 400, error: { code: -32600 } });
    }
  });

  it('echoes ids with their type, and none that could not be read', () => {
    expect(mcpResultText('1', '{}')).toBe('{"jsonrpc":"2.0","id":1,"result":{}}');
    expect(mcpErrorText('"1"', { code: 1, message: 'm' })).toBe(
      '{"jsonrpc":"2.0","id":"1","error":{"code":1,"message":"m"}}',
    );
    expect(mcpErrorText(idIn({ id: null }, Buffer.from('{"id":null}')), { code: 1, message: 'm' })).toBe(
      '{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}',
    );
  });
});

describe(mcpErrorOf.name, () => {
  it.each([
    ['Unauthenticated', 401, 401],
    ['PermissionDenied', 403, 403],
    ['RateLimited', 429, 429],
    ['Unavailable', 503, 503],
    ['RequestTooLarge', 413, 413],
    ['InvalidParams', 200, -32602],
    ['TaskNotFound', 200, -32602],
    ['InternalError', 200, -32603],
    ['ParseError', 400, -32700],
  ] as const)('answers %s with HTTP %i and code %i', (kind, status, code) => {
    expect(mcpErrorOf(new A2AError(kind, 'text'))).toEqual({ status, error: { code, message: 'text' } });
  });

  it('gives the data of faults of its own', () => {
    expect(mcpErrorOf(badParams('Resource not found', { uri: 'x' }))).toMatchObject({ error: { data: { uri: 'x' } } });
    expect(mcpErrorOf(missingCapability({ sampling: {} }))).toEqual({
      status: 400,
      error: { code: -32021, message: expect.any(String), data: { requiredCapabilities: { sampling: {} } } },
    });
  });
});

describe(clientCapabilities.name, () => {
  it('takes an elicitation without modes for forms', () => {
    expect(clientCapabilities({ elicitation: {} })).toMatchObject({ form: true, url: false, tasks: false });
    expect(clientCapabilities({ elicitation: { url: {} } })).toMatchObject({ form: false, url: true });
    expect(clientCapabilities({ extensions: { [TASKS_EXTENSION]: {} } })).toMatchObject({ tasks: true, form: false });
  });

  it('names the missing capabilities in the shape of the required ones', () => {
    const required = { sampling: {}, extensions: { [TASKS_EXTENSION]: {} } };
    expect(undeclared(required, { sampling: { tools: {} }, extensions: {} })).toEqual({
      extensions: { [TASKS_EXTENSION]: {} },
    });
    expect(undeclared(required, { sampling: {}, extensions: { [TASKS_EXTENSION]: {} } })).toBeUndefined();
  });
});

describe(revisionsOf.name, () => {
  it('follows the setting (MCP-VER-3)', () => {
    expect(revisionsOf('both')).toEqual(['2026-07-28', '2025-11-25', '2025-06-18']);
    expect(revisionsOf('modern')).toEqual(['2026-07-28']);
    expect(revisionsOf('legacy')).toEqual(['2025-11-25', '2025-06-18']);
  });

  it('gives a session the revision that was asked for, else the newest (MCP-VER-2)', () => {
    expect(['2025-06-18', '2024-11-05', undefined].map(sessionRevision)).toEqual([
      '2025-06-18',
      '2025-11-25',
      '2025-11-25',
    ]);
  });
});
