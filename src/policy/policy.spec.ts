import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { eventually } from '../../test/kit/run/eventually.js';
import { AuditLog } from '../audit/audit.log.js';
import { explain } from './explain.js';
import { Policies } from './policies.js';
import { Policy } from './policy.js';
import { readPolicy } from './policy-file.js';

const SEED = await readFile(new URL('../../test/fixtures/policy/seed.json', import.meta.url), 'utf8');
const seed = readPolicy(SEED);
const caller = (client: string, tenant = 'acme'): { tenant: string; client: string } => ({ tenant, client });

const MEMORY = {
  'payment.card_number': 1,
  'payment.card_cvc': 2,
  'payment.amount': 3,
  'summary.text': 4,
  'metrics.calls': 5,
};

/** `filter_memory` of seed 2 § 6.8, in our words. */
function filterMemory(client: string): readonly string[] {
  const keys = Object.keys(MEMORY);
  if (client === 'fraud_detection_agent') return keys.filter((key) => !key.startsWith('payment.card_'));
  if (client === 'audit_agent') return keys.filter((key) => key.startsWith('summary.') || key.startsWith('metrics.'));
  return keys;
}

/** `authorize_call` of the same section. */
const authorizeCall = (intent: string, client: string): boolean =>
  !(intent === 'process_transaction' && client !== 'checkout_agent');

describe(Policy.name, () => {
  const policy = new Policy(seed);

  it.each(['fraud_detection_agent', 'audit_agent', 'planner'])(
    'filters memory for %s as the article does (O-12, SEED-40)',
    (client) => {
      const kept = Object.keys(MEMORY).filter((key) => policy.mayHave(caller(client), key).isAllowed);
      expect(kept).toEqual(filterMemory(client));
    },
  );

  it.each(['process_transaction', 'query_transaction_metadata', 'other'])(
    'authorizes calls of %s as the article does (O-13)',
    (intent) => {
      for (const client of ['checkout_agent', 'audit_agent', 'checkout_agent2', '']) {
        expect([client, policy.mayCall(caller(client), intent).isAllowed]).toEqual([
          client,
          authorizeCall(intent, client),
        ]);
      }
    },
  );

  it('denies if any rule denies, whatever the others and their order are (O-12, O-13)', () => {
    const names = fc.constantFrom('a', 'b', 'ab', '*', 'a*', '*b');
    const lists = fc.option(fc.array(names, { minLength: 1, maxLength: 3 }), { nil: undefined });
    const rules = fc.array(fc.record({ intents: fc.array(names, { minLength: 1 }), allow: lists, deny: lists }), {
      maxLength: 5,
    });
    const fits = (patterns: readonly string[], name: string): boolean =>
      patterns.some((pattern) => new RegExp(`^${pattern.replace('*', '.*')}$`).test(name));
    fc.assert(
      fc.property(
        rules,
        fc.constantFrom('a', 'b', 'ab', 'c'),
        fc.constantFrom('a', 'b', 'ab', 'c'),
        (made, intent, client) => {
          const intents = made.map(({ allow, deny, ...rule }, at) => ({
            ...{ name: String(at), ...rule },
            ...(allow === undefined ? {} : { allow }),
            ...(deny === undefined ? {} : { deny }),
          }));
          const about = intents.filter((rule) => fits(rule.intents, intent));
          const isDenied = about.some(({ deny = [] }) => fits(deny, client));
          const narrowed = about.filter(({ allow }) => allow !== undefined);
          const isNamed = narrowed.length === 0 || narrowed.some(({ allow = [] }) => fits(allow, client));
          expect(new Policy({ intents }).mayCall(caller(client), intent).isAllowed).toBe(!isDenied && isNamed);
          expect(new Policy({ intents: intents.toReversed() }).mayCall(caller(client), intent).isAllowed).toBe(
            !isDenied && isNamed,
          );
        },
      ),
    );
  });

  it('applies to the tenants that a rule names (O-12)', () => {
    const own = new Policy({ intents: [{ name: 'r', tenants: ['acme-*'], intents: ['*'], deny: ['*'] }] });
    expect(own.mayCall(caller('a', 'acme-eu'), 'x').isAllowed).toBe(false);
    expect(own.mayCall(caller('a', 'other'), 'x').isAllowed).toBe(true);
  });

  it('requires the strictest freshness of all matching rules, and each of their rates', () => {
    const demanding = new Policy({
      intents: [
        { name: 'slow', intents: ['pay*'], fresh: { seconds: 300 }, rate: '100/20' },
        { name: 'fast', intents: ['pay'], fresh: { seconds: 60, nonce: true } },
      ],
    });
    expect(demanding.demandsOf(caller('a'), { id: 'pay' })).toEqual({
      fresh: { seconds: 60, nonce: true },
      rates: [{ rule: 'slow', rate: '100/20' }],
    });
    expect(demanding.demandsOf(caller('a'), { id: 'read' })).toBeUndefined();
  });
});

describe(readPolicy.name, () => {
  it.each([
    ['{', 'it is not JSON'],
    ['[]', 'it must hold a JSON object'],
    ['{"intents":[{"name":"a"}]}', 'intents[0].intents'],
    ['{"intents":[{"name":"a","intents":["x"],"allows":["y"]}]}', 'intents[0].allows'],
    ['{"memory":[{"name":"a","callers":["**********"]}]}', 'memory[0].callers'],
    ['{"intents":[{"name":"a","intents":["x"],"rate":"much"}]}', 'intents[0].rate'],
    [
      '{"intents":[{"name":"a","intents":["x"]}],"memory":[{"name":"a","callers":["x"]}]}',
      'two rules have the name "a"',
    ],
  ])('refuses %s', (text, reason) => {
    expect(() => readPolicy(text)).toThrow(reason);
  });
});

describe(explain.name, () => {
  it('names the deciding rule (O-13)', () => {
    const question = { tenant: 'acme', caller: 'agent://audit_agent', intent: 'query_transaction_metadata' };
    expect(explain(seed, { ...question, skill: 'process_transaction', key: 'payment.amount' })).toEqual([
      { what: 'intent query_transaction_metadata', isAllowed: true, rule: 'metadata' },
      { what: 'skill process_transaction', isAllowed: false, rule: 'payments' },
      { what: 'key payment.amount', isAllowed: false, rule: 'figures' },
    ]);
    expect(explain(seed, { ...question, intent: 'other' })).toMatchObject([
      { isAllowed: true, rule: 'no rule is about it' },
    ]);
  });
});

describe(Policies.name, () => {
  it('withholds keys, with their names and never their values in the audit log (O-12)', () => {
    const lines: string[] = [];
    const policies = new Policies({ policy: seed }, new AuditLog({ write: (line: string) => lines.push(line) }));
    const memory = { 'payment.card_number': 'secret-4111', 'payment.amount': 5 };
    expect(policies.permitted(caller('fraud_detection_agent'), 'check', memory)).toEqual({ 'payment.amount': 5 });
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      {
        client: 'fraud_detection_agent',
        result: 'denied',
        skill: 'check',
        withheld: 'payment.card_number',
        reason: 'policy rule no-cards',
      },
    ]);
    expect(lines.join('')).not.toContain('4111');
  });

  it('reads the file again when it changes, and keeps the rules while it is invalid (O-13)', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'policy-'));
    const file = join(folder, 'policy.json');
    await writeFile(file, SEED);
    const policies = new Policies({ policy: seed, file, pollEveryMs: 20 }, new AuditLog({ write: () => undefined }));
    const errors: unknown[] = [];
    Object.assign(policies, { log: { log: () => undefined, error: (line: unknown) => errors.push(line) } });
    policies.onModuleInit();
    try {
      const may = (client: string): boolean =>
        policies.current.mayCall(caller(client), 'process_transaction').isAllowed;
      expect([may('checkout_agent'), may('till')]).toEqual([true, false]);
      await writeFile(file, SEED.replace('checkout_agent', 'till'));
      await eventually(() => {
        expect([may('checkout_agent'), may('till')]).toEqual([false, true]);
      });
      await writeFile(file, '{"intents":1}');
      await eventually(() => {
        // A poll between truncating and writing the file refuses it too.
        expect(errors.at(-1)).toMatchObject({ event: 'policy.refused', reason: expect.stringContaining('an array') });
      });
      expect(may('till')).toBe(true);
    } finally {
      policies.onApplicationShutdown();
      await rm(folder, { recursive: true });
    }
  });
});
