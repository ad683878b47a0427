import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { headerText } from './http-answer.js';
import { headersOfCall, definitionOf } from './tool-definition.js';

function headersOf(properties: JsonObject, args: JsonObject): unknown {
  const definition = definitionOf({ name: 'tool', inputSchema: { type: 'object', properties } });
  return definition && headersOfCall(definition, args, headerText);
}

const header = (name: unknown, type: unknown = 'string'): JsonObject => ({ type, 'x-mcp-header': name });

describe(headersOfCall.name, () => {
  it('repeats texts, integers and booleans, and omits absent arguments', () => {
    const properties = { a: header('A'), b: header('B', 'integer'), c: header('C', 'boolean'), d: header('D'), e: {} };
    const headers = { 'mcp-param-a': '=?base64?IHggCg==?=', 'mcp-param-b': '4', 'mcp-param-c': 'false' };
    expect(headersOf(properties, { a: ' x \n', b: 4, c: false, e: 'not repeated' })).toEqual(headers);
  });

  it.each<[string, JsonObject]>([
    ['no name', { a: header('') }],
    ['no text', { a: header(7) }],
    ['a space', { a: header('My Region') }],
    ['a colon', { a: header('Region:Primary') }],
    ['a letter beyond ASCII', { a: header('Région') }],
    ['a control character', { a: header('Region\t1') }],
    ['the name of another argument', { a: header('Region'), b: header('region') }],
    ['a number', { a: header('Ratio', 'number') }],
    ['an object', { a: header('Data', 'object') }],
    ['a list', { a: header('Items', 'array') }],
    ['nothing but null', { a: header('Nil', 'null') }],
    ['an object or a text', { a: header('Data', ['object', 'string']) }],
  ])('refuses a tool whose header is of %s, whatever the arguments', (_what, properties) => {
    expect(() => headersOf(properties, {})).toThrow('names a header wrongly');
  });
});
