import { describe, expect, it } from '@jest/globals';
import { AuditLog } from '../../audit/audit.log.js';
import { Policies } from '../../policy/policies.js';
import { readPolicy } from '../../policy/policy-file.js';
import { callRefusal } from './call-rights.js';

const run = { tenant: 'acme', client: 'ann', subject: '', scopes: ['pay:read'], skillId: 'planner' };
const actsAs = 'service';
const pay = { id: 'pay', scopes: ['pay:write'] };

const policiesOf = (intents: readonly object[], lines: string[] = []): Policies => {
  const write = (line: string): void => void lines.push(line);
  return new Policies({ policy: readPolicy(JSON.stringify({ intents })) }, new AuditLog({ write }));
};
const DENIED = { name: 'no-ann', intents: ['pay'], deny: ['ann'] };
const SERVICE = { name: 'planner-pays', intents: ['pay'], allow: ['service://planner', '*'] };

describe(callRefusal.name, () => {
  it('permits a child of which the caller has all scopes and no rule refuses a name', () => {
    expect(callRefusal({ run, parent: undefined, child: { id: 'pay', scopes: ['pay:read'] } }, policiesOf([]))).toBe(
      undefined,
    );
  });

  it('refuses a child with a scope that the caller of the task lacks (I13)', () => {
    expect(callRefusal({ run, parent: undefined, child: pay }, policiesOf([]))).toBe(
      'the caller of the task lacks the scope "pay:write"',
    );
  });

  it('refuses a child that the policy refuses to the caller by any of its names (I13)', () => {
    const policies = policiesOf([DENIED]);
    const child = { id: 'bank', aliasOf: 'pay' };
    for (const named of [{ id: 'pay' }, child]) {
      expect(callRefusal({ run, parent: undefined, child: named }, policies)).toMatch(/^the policy does not let/);
    }
    expect(callRefusal({ run, parent: undefined, child: { id: 'bank' } }, policies)).toBeUndefined();
  });

  it('lets a skill act as the service only with a rule for each name, and only when it asks to (I13)', () => {
    const child = { ...pay, aliasOf: 'bank' };
    const aliased = { name: 'planner-banks', intents: ['bank'], allow: ['service://planner'] };
    expect(callRefusal({ run, parent: { actsAs }, child: pay }, policiesOf([]))).toMatch(/lacks the scope/);
    expect(callRefusal({ run, parent: {}, child: pay }, policiesOf([SERVICE]))).toMatch(/lacks the scope/);
    expect(callRefusal({ run, parent: { actsAs }, child: pay }, policiesOf([SERVICE]))).toBeUndefined();
    expect(callRefusal({ run, parent: { actsAs }, child }, policiesOf([SERVICE, aliased]))).toBeUndefined();
    const closed = { name: 'closed', intents: ['bank'], allow: ['bob'] };
    expect(callRefusal({ run, parent: { actsAs }, child }, policiesOf([SERVICE, closed]))).toMatch(/lacks the scope/);
  });

  it('audits a call that is made as the service', () => {
    const lines: string[] = [];
    callRefusal({ run, parent: { actsAs }, child: pay }, policiesOf([SERVICE], lines));
    expect(lines.join('')).toContain('"service://planner"');
  });
});
