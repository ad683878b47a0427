import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { faultsOfValue, SchemaTooHard } from './check-value.js';

const FILE = {
  $defs: { name: { type: 'string', minLength: 1, pattern: '^[a-z.]+$' } },
  type: 'object',
  properties: {
    name: { $ref: '#/$defs/name' },
    size: { type: 'integer', minimum: 0 },
    tags: { type: 'array', items: { enum: ['a', 'b'] } },
  },
  required: ['name'],
  additionalProperties: false,
};

function nested(levels: number): unknown {
  return levels === 0 ? { type: 'string' } : { properties: { a: nested(levels - 1) } };
}

function value(levels: number): unknown {
  return levels === 0 ? 'x' : { a: value(levels - 1) };
}

describe(faultsOfValue.name, () => {
  it.each<[unknown, unknown, readonly string[]]>([
    [FILE, { name: 'a.txt', size: 3, tags: ['a'] }, []],
    [FILE, { size: -1 }, ['name is missing', 'size is too small']],
    [FILE, { name: 'A', x: 1 }, ['name does not match its pattern', 'x is not allowed']],
    [FILE, { name: 'a', tags: ['c'] }, ['tags[0] is none of the allowed values']],
    [FILE, [], [' must be object']],
    [{ type: ['string', 'null'] }, null, []],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, true, [' fits none of its forms']],
    [{ oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 3, [' does not fit exactly one of its forms']],
    [{ not: { const: { b: 1, a: 2 } } }, { a: 2, b: 1 }, [' has a form that is not allowed']],
    [{ if: { type: 'string' }, then: { maxLength: 1 }, else: false }, 'ab', [' has more than 1 characters']],
    [{ prefixItems: [{ type: 'string' }], items: false }, ['a', 1], ['[1] is not allowed']],
    [{ multipleOf: 0.1 }, 0.3, []],
    [{ uniqueItems: true }, [1, 1], [' has an entry twice']],
    [
      { patternProperties: { '^x-': { type: 'number' } }, additionalProperties: false },
      { 'x-a': 1, y: 1 },
      ['y is not allowed'],
    ],
    [{ propertyNames: { maxLength: 1 } }, { ab: 1 }, ['ab has more than 1 characters']],
    [{ type: 'object' }, JSON.parse('{"__proto__": 1}') as unknown, []],
    [true, 1, []],
    // B5: keywords that older drafts write differently.
    [{ items: [{ type: 'string' }, { type: 'number' }] }, ['a', 'b'], ['[1] must be number']],
    [{ items: [{ type: 'string' }], additionalItems: false }, ['a', 1], ['[1] is not allowed']],
    [{ items: [{ type: 'string' }], additionalItems: { type: 'number' } }, ['a', 1], []],
    [{ minimum: 0, exclusiveMinimum: true }, 1, []],
    [{ minimum: 0, exclusiveMinimum: true }, 0, [' is too small']],
    [{ maximum: 9, exclusiveMaximum: false }, 9, []],
    [{ dependencies: { a: ['b'] } }, { a: 1 }, ['b is missing']],
    [{ dependencies: { a: { required: ['c'] } } }, { a: 1 }, ['c is missing']],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, ['b is missing']],
    [{ dependentSchemas: { a: { properties: { b: { type: 'string' } } } } }, { a: 1, b: 1 }, ['b must be string']],
    [
      { definitions: { n: { type: 'number' } }, properties: { a: { $ref: '#/definitions/n' } } },
      { a: 'x' },
      ['a must be number'],
    ],
    [{ $defs: { n: { $anchor: 'n', type: 'number' } }, $ref: '#n' }, 'x', [' must be number']],
    [
      { definitions: { n: { id: '#n', type: 'number' } }, properties: { a: { $ref: '#n' } } },
      { a: 'x' },
      ['a must be number'],
    ],
    [
      { $dynamicAnchor: 'n', type: 'object', properties: { a: { $dynamicRef: '#n' } } },
      { a: { a: 1 } },
      ['a.a must be object'],
    ],
    [
      { $recursiveAnchor: true, type: 'object', properties: { a: { $recursiveRef: '#' } } },
      { a: 1 },
      ['a must be object'],
    ],
    [{ contains: { type: 'number' }, minContains: 2 }, [1, 'a'], [' lacks an entry']],
    [{ contains: { type: 'number' }, minContains: 0 }, [], []],
    [{ contains: { type: 'number' }, maxContains: 1 }, [1, 2], [' has too many entries of a kind']],
    [{ allOf: [{ properties: { a: true } }], unevaluatedProperties: false }, { a: 1, b: 2 }, ['b is not allowed']],
    [{ dependencies: { a: ['b'] }, unevaluatedProperties: true }, { a: 1, b: 2 }, []],
    [{ prefixItems: [true], unevaluatedItems: { type: 'string' } }, [1, 2, 'x'], ['[1] must be string']],
    [{ properties: { 'a/b': { type: 'number' } } }, { 'a/b': 'x' }, ['a/b must be number']],
  ])('holds %j against %j', (schema, given, faults) => {
    expect(faultsOfValue(schema, given).map(({ path, text }) => `${path} ${text}`)).toEqual(faults);
  });

  it.each<[string, unknown, unknown]>([
    ['a reference to itself', { $ref: '#' }, 1],
    ['references in a circle', { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' }, 1],
    ['a reference to the network', { $ref: 'https://schemas.example/x.json' }, 1],
    ['a reference to a file', { $ref: 'file:///etc/passwd' }, 1],
    ['a reference to nothing', { $ref: '#/$defs/none' }, 1],
    ['a reference to what every object has', { $ref: '#/constructor' }, 1],
    ['a reference that cannot be read', { $ref: '#/%E0%A4' }, 1],
    ['a schema that is too deep', nested(40), value(40)],
    ['forms that multiply', bomb(30), 1],
    ['a pattern that backtracks without an end', { pattern: '^(a+)+$' }, `${'a'.repeat(60)}!`],
    ['a name whose pattern does', { patternProperties: { '^(a|a)*$': {} } }, { [`${'a'.repeat(60)}!`]: 1 }],
    ['a pattern that is none', { pattern: '(' }, 'a'],
    ['a pattern that is too long', { pattern: 'a'.repeat(2000) }, 'a'],
    ['a list instead of a schema', { properties: { a: [] } }, { a: 1 }],
    ['a form that denies itself', { not: { $ref: '#' } }, 1],
    ['a choice of itself', { anyOf: [{ $ref: '#' }] }, 1],
    ['lists that are to be checked as their entries', { items: { $ref: '#' }, oneOf: [{ $ref: '#' }, true] }, [[]]],
    ['names that are to be checked as names', { propertyNames: { $ref: '#/propertyNames' } }, { a: 1 }],
    ['a reference to its own anchor', { $anchor: 'a', $ref: '#a' }, 1],
    ['a reference to an anchor that is none', { $anchor: 'a', $ref: '#b' }, 1],
    ['conditions that multiply', conditions(30), 1],
    ['members left over that multiply', leftOver(28), { a: 1 }],
    [
      'members left over that are to be checked as all',
      { allOf: [{ $ref: '#' }], unevaluatedProperties: true },
      { a: 1 },
    ],
  ])('MCP-SEC-11: gives up on %s, and holds the event loop for a moment only', (_what, schema, given) => {
    const before = process.cpuUsage();
    expect(() => faultsOfValue(schema, given)).toThrow(SchemaTooHard);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(250);
  });

  it('MCP-SEC-11: writes a large value once, whatever it is compared with', () => {
    const value = { text: 'x'.repeat(200_000) };
    const before = process.cpuUsage();
    const schema = { enum: Array.from({ length: 2000 }, (_, at) => ({ at })) };
    expect(faultsOfValue(schema, value)).toEqual([{ path: '', text: 'is none of the allowed values' }]);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(1000);
  });

  it('judges a pattern by the processor time that it takes, also while the process is paused again and again (P-1, I12)', async () => {
    const worker = `
      setInterval(() => {
        process.kill(${String(process.pid)}, 'SIGSTOP');
        const until = Date.now() + 60;
        while (Date.now() < until);
        process.kill(${String(process.pid)}, 'SIGCONT');
      }, 90);
      setTimeout(() => process.exit(), 1500);`;
    const pauses = spawn(process.execPath, ['-e', worker], { stdio: 'ignore' });
    const ended = once(pauses, 'exit');
    let checks = 0;
    while (pauses.exitCode === null) {
      for (let at = 0; at < 500; at += 1, checks += 1)
        expect(faultsOfValue({ pattern: '^[a-z.]+$' }, 'a.txt')).toEqual([]);
      await setImmediate();
    }
    await ended;
    expect(checks).toBeGreaterThan(500);
  });

  it('says that a pattern is none, or that it takes too long (P-1)', () => {
    expect(() => faultsOfValue({ pattern: '(' }, 'a')).toThrow('it has a pattern that is none');
    expect(() => faultsOfValue({ pattern: '^(a+)+$' }, `${'a'.repeat(60)}!`)).toThrow('takes too long');
  });

  it('runs no code of a schema', () => {
    const text = 'globalThis.hacked = true';
    const schema = {
      $id: text,
      $comment: text,
      format: text,
      default: text,
      [text]: text,
      properties: { [`']});${text};//`]: {} },
    };
    expect(faultsOfValue(schema, {})).toEqual([]);
    expect(Reflect.has(globalThis, 'hacked')).toBe(false);
  });
});

/** Each level refers twice to the next: 2^levels checks. */
function bomb(levels: number): unknown {
  const defs = Array.from(
    { length: levels },
    (_, at) => [`d${String(at)}`, { allOf: [ref(at + 1), ref(at + 1)] }] as const,
  );
  return { $defs: { ...Object.fromEntries(defs), [`d${String(levels)}`]: {} }, ...ref(0) };
}

/** The same by conditions. */
function conditions(levels: number): unknown {
  const defs = Array.from(
    { length: levels },
    (_, at) => [`d${String(at)}`, { if: ref(at + 1), then: ref(at + 1) }] as const,
  );
  return { $defs: { ...Object.fromEntries(defs), [`d${String(levels)}`]: {} }, ...ref(0) };
}

/** Each level asks what two forms of the next have judged. */
function leftOver(levels: number): unknown {
  const defs = Array.from(
    { length: levels },
    (_, at) => [`d${String(at)}`, { anyOf: [ref(at + 1), ref(at + 1)], unevaluatedProperties: true }] as const,
  );
  return { $defs: { ...Object.fromEntries(defs), [`d${String(levels)}`]: {} }, ...ref(0) };
}

function ref(at: number): { readonly $ref: string } {
  return { $ref: `#/$defs/d${String(at)}` };
}
