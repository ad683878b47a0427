import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { JsonObject } from '../model/json.js';
import { checkArguments, checkRouting, checkVersionHeader } from './routing-headers.js';

const MISMATCH = { code: -32020, answered: { status: 400 } };
const asBase64 = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;

describe(checkRouting.name, () => {
  it('takes headers that repeat the body, plain or as base64 (MCP-AUTH-5)', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (name) => {
        const call = { method: 'tools/call', params: { name } };
        const headers = { version: undefined, method: ' tools/call ', name: asBase64(name) };
        expect(() => {
          checkRouting(headers, call);
        }).not.toThrow();
      }),
      { numRuns: 50 },
    );
    for (const name of ['echo', ' echo\t']) {
      const headers = { version: undefined, method: 'tools/call', name };
      expect(() => {
        checkRouting(headers, { method: 'tools/call', params: { name: 'echo' } });
      }).not.toThrow();
    }
  });

  it('refuses any other name or method (MCP-SEC-6)', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (name, other) => {
        fc.pre(name !== other);
        const call = { method: 'resources/read', params: { uri: name } };
        const refused = (headers: { method?: string; name?: string }): void => {
          expect(() => {
            checkRouting({ version: undefined, method: undefined, name: undefined, ...headers }, call);
          }).toThrow(expect.objectContaining(MISMATCH));
        };
        refused({ method: 'resources/read', name: asBase64(other) });
        refused({ method: 'resources/read' });
        refused({ method: 'tools/call', name: asBase64(name) });
        refused({ name: asBase64(name) });
      }),
      { numRuns: 50 },
    );
  });

  it('asks for no name where the body has none', () => {
    const headers = { version: undefined, method: 'tools/list', name: undefined };
    expect(() => {
      checkRouting(headers, { method: 'tools/list', params: {} });
    }).not.toThrow();
  });
});

describe(checkArguments.name, () => {
  const schema = {
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, n: { type: 'integer', 'x-mcp-header': 'N' } },
  };
  const checked = (args: JsonObject, headers: Readonly<Record<string, string>>) => () => {
    checkArguments(schema, args, (name) => headers[name]);
  };

  it('takes arguments that headers repeat, plain or as base64, and none of both (MCP-AUTH-5)', () => {
    expect(checked({}, {})).not.toThrow();
    expect(checked({ region: 'eu', n: 4 }, { 'mcp-param-region': ' eu ', 'mcp-param-n': '4' })).not.toThrow();
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (region) => {
        expect(checked({ region }, { 'mcp-param-region': asBase64(region) })).not.toThrow();
      }),
      { numRuns: 50 },
    );
  });

  it.each<[string, JsonObject, Readonly<Record<string, string>>]>([
    ['another value', { region: 'eu' }, { 'mcp-param-region': 'us' }],
    ['no header for an argument', { region: 'eu' }, {}],
    ['a header without its argument', {}, { 'mcp-param-region': 'eu' }],
    ['base64 without its padding', { region: 'Hello' }, { 'mcp-param-region': '=?base64?SGVsbG8?=' }],
    ['base64 with other characters', { region: 'Hello' }, { 'mcp-param-region': '=?base64?SGVs!!!bG8=?=' }],
    ['white space that only the body has', { region: ' eu' }, { 'mcp-param-region': 'eu' }],
    ['a list', { region: ['eu'] }, { 'mcp-param-region': 'eu' }],
  ])('refuses %s (MCP-SEC-6)', (_what, args, headers) => {
    expect(checked(args, headers)).toThrow(expect.objectContaining(MISMATCH));
  });
});

describe(checkVersionHeader.name, () => {
  it.each([undefined, '', '2025-11-25', '2026-07-28x'])('refuses %j for another version in the body', (version) => {
    expect(() => {
      checkVersionHeader({ version, method: undefined, name: undefined }, '2026-07-28');
    }).toThrow(expect.objectContaining(MISMATCH));
  });
});
