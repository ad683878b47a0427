import { describe, expect, it } from '@jest/globals';
import { CONTEXT_EXTENSION, contextOf } from '@parley/protocol/extension/context-extension.js';
import { A2AError } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { SIMULATED } from '@parley/protocol/extension/marks.js';
import type { SendMessageRequest } from '@parley/protocol/model/operations.js';
import { SCOPE_EXTENSION } from '@parley/protocol/extension/scope-extension.js';
import { LOCAL_PRINCIPAL, type Principal } from '../../../auth/principal.js';
import { noPolicies } from '../../../../test/kit/tasks/turn-sources.js';
import type { CallLimits } from '../../../limits/call-limits.js';
import type { Freshness } from '../../../policy/freshness.js';
import { MessageContexts } from './message-context.js';

const unasked = (): never => {
  throw new Error('The policy asks for nothing');
};
const contexts = new MessageContexts(
  noPolicies,
  { require: unasked } as unknown as Freshness,
  { countRule: unasked } as unknown as CallLimits,
  {
    requireScopes: ({ scopes }, asked) => {
      if (scopes !== 'all' && asked.some((one) => !scopes.includes(one)))
        throw new A2AError('PermissionDenied', asked.join(' '));
    },
  },
);
const setHeaders = (): void => undefined;
const principal: Principal = {
  ...{ tenant: 'acme', client: 'report_orchestrator', subject: 'user-12081', method: 'token' },
  scopes: ['read:docs', 'a2a:message.send'],
};
/** The context of seed 2 § 10.3. */
const SEED = {
  caller: 'agent://report_orchestrator',
  request_id: 'req-cbe13a',
  trace_id: 'trace-7739a',
  user_id: 'user-12081',
  permissions: ['read:docs', 'write:summary'],
  memory: { pipeline_stage: 'extracted', current_doc: 'document_003' },
};

const aRequest = (context?: unknown): SendMessageRequest => ({
  message: {
    ...{ messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] },
    metadata: { skillId: 's', ...(context === undefined ? {} : { [CONTEXT_EXTENSION]: context }) },
  },
});
const checked = (context: unknown, caller: Principal = principal): JsonObject | undefined =>
  contextOf(contexts.checked(aRequest(context), { principal: caller, setHeaders }).request.message);

describe(MessageContexts.name, () => {
  it("accepts the article's context, with the granted scopes", () => {
    expect(checked(SEED)).toEqual({ ...SEED, permissions: ['read:docs'] });
  });

  it.each([{ caller: 'agent:report_orchestrator' }, { caller: 'report_orchestrator' }, {}])(
    'stores the verified caller for %j',
    (claim) => {
      expect(checked(claim)).toMatchObject({ caller: 'agent://report_orchestrator' });
    },
  );

  it.each([{ caller: 'agent://admin' }, { user_id: 'user-1' }])('refuses a foreign name: %j', (claim) => {
    expect(() => checked({ ...SEED, ...claim })).toThrow(expect.objectContaining({ kind: 'PermissionDenied' }));
  });

  it('trusts and stores no claim without authentication', () => {
    const forged = { caller: 'agent://admin', user_id: 'root', permissions: ['all'] };
    expect(checked(forged, LOCAL_PRINCIPAL)).toEqual({ caller: 'agent://local', permissions: ['all'] });
    const { subject: _none, ...machine } = principal;
    expect(checked({ user_id: 'root' }, machine)).toEqual({ caller: 'agent://report_orchestrator' });
  });

  it('stores nothing that differs in a repeat of the request', () => {
    const [one, other] = ['2025-07-04T11:00:00Z', '2025-07-04T11:01:00Z'].map((timestamp) => {
      const sent = aRequest({ ...SEED, timestamp, nonce: timestamp });
      const { request } = contexts.checked(sent, { principal, setHeaders });
      return contexts.lent(request, { id: 's' }, { principal });
    });
    expect(one).toEqual(other);
    expect(one && contextOf(one.message)).not.toHaveProperty('timestamp');
  });

  it('refuses an invalid context, with the path', () => {
    const violations = [{ field: `message.metadata.${CONTEXT_EXTENSION}.caller` }];
    expect(() => checked({ caller: 5 })).toThrow(expect.objectContaining({ kind: 'InvalidParams' }));
    try {
      checked({ caller: 5 });
    } catch (error) {
      expect(error).toMatchObject({ violations });
    }
  });

  it('does not change a message without a context', () => {
    const request = aRequest();
    const call = { principal, setHeaders };
    const taken = contexts.checked(request, call);
    expect([taken.request === request, taken.call === call]).toEqual([true, true]);
    expect(contexts.lent(request, { id: 's', memory: { reads: ['*'] } }, { principal })).toBe(request);
  });

  it('lends a skill the keys that its contract reads, and nothing without one', () => {
    const { request } = contexts.checked(aRequest(SEED), { principal, setHeaders });
    const lentTo = (reads?: readonly string[]): unknown => {
      const skill = { id: 's', ...(reads === undefined ? {} : { memory: { reads } }) };
      return contextOf(contexts.lent(request, skill, { principal }).message)?.memory;
    };
    expect(lentTo(['current_*'])).toEqual({ current_doc: 'document_003' });
    expect(lentTo(['other'])).toBeUndefined();
    expect(lentTo()).toBeUndefined();
  });

  it('narrows the caller to the requested scopes, and reports granted and missing ones (O-14)', () => {
    const headers: Record<string, string> = {};
    const call = { principal, setHeaders: (given: Readonly<Record<string, string>>) => Object.assign(headers, given) };
    const wanting = { ...aRequest().message, metadata: { [SCOPE_EXTENSION]: { wanted: ['read:docs', 'skill:pay'] } } };
    const taken = contexts.checked({ message: wanting, metadata: { [SCOPE_EXTENSION]: 'forged', own: 1 } }, call);
    const scopes = { granted: ['read:docs'], withheld: ['skill:pay'] };
    expect(taken.request.metadata).toEqual({ [SCOPE_EXTENSION]: scopes, own: 1 });
    expect(taken.call.principal.scopes).toEqual(['read:docs']);
    expect(headers).toEqual({ 'parley-granted-scopes': 'read:docs', 'parley-withheld-scopes': 'skill:pay' });
    expect(contexts.checked(aRequest(SEED), call).call.principal.scopes).toEqual(['read:docs']);
  });

  it.each([[{}], [{ wanted: 'all' }], [{ wanted: ['a b'] }], [{ wanted: [], other: 1 }], [5]])(
    'refuses wanted scopes that are none, with the path: %j (O-14)',
    (asked) => {
      const message = { ...aRequest().message, metadata: { [SCOPE_EXTENSION]: asked } };
      const path = `message.metadata.${SCOPE_EXTENSION}.`;
      expect(() => contexts.checked({ message }, { principal, setHeaders })).toThrow(
        expect.objectContaining({ violations: [expect.objectContaining({ field: expect.stringContaining(path) })] }),
      );
    },
  );

  it('marks a simulation requested by a caller with the scope, and trusts no mark of its own (O-80)', () => {
    const debug = aRequest({ debug_mode: true });
    expect(() => contexts.checked(debug, { principal, setHeaders })).toThrow('agent.debug');
    const mayDebug = { principal: { ...principal, scopes: ['agent.debug'] }, setHeaders };
    expect(contexts.checked(debug, mayDebug).request.metadata).toEqual({ [SIMULATED]: true });
    const forged = contexts.checked({ ...aRequest(), metadata: { [SIMULATED]: true } }, mayDebug);
    expect(forged.request.metadata).toEqual({});
  });
});
