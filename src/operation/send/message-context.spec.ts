import { describe, expect, it } from '@jest/globals';
import { CONTEXT_EXTENSION, contextOf } from '../../protocol/context-extension.js';
import type { JsonObject } from '../../protocol/json.js';
import type { SendMessageRequest } from '../../protocol/operations.js';
import { LOCAL_PRINCIPAL, type Principal } from '../../security/auth/principal.js';
import { noPolicies } from '../../../test/kit/turn-sources.js';
import type { CallLimits } from '../../security/limit/call-limits.js';
import type { Freshness } from '../../policy/freshness.js';
import { MessageContexts } from './message-context.js';

const unasked = (): never => {
  throw new Error('The policy asks for nothing');
};
const contexts = new MessageContexts(
  noPolicies,
  { require: unasked } as unknown as Freshness,
  { countRule: unasked } as unknown as CallLimits,
);
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
  contextOf(contexts.checked(aRequest(context), { principal: caller }).message);

describe(MessageContexts.name, () => {
  it("takes the article's context, with the scopes that are granted", () => {
    expect(checked(SEED)).toEqual({ ...SEED, permissions: ['read:docs'] });
  });

  it.each([{ caller: 'agent:report_orchestrator' }, { caller: 'report_orchestrator' }, {}])(
    'stores the verified caller for %j',
    (claim) => {
      expect(checked(claim)).toMatchObject({ caller: 'agent://report_orchestrator' });
    },
  );

  it.each([{ caller: 'agent://admin' }, { user_id: 'user-1' }])('refuses the name of somebody else: %j', (claim) => {
    expect(() => checked({ ...SEED, ...claim })).toThrow(expect.objectContaining({ kind: 'PermissionDenied' }));
  });

  it('believes no claim where nothing is known, and stores none', () => {
    const forged = { caller: 'agent://admin', user_id: 'root', permissions: ['all'] };
    expect(checked(forged, LOCAL_PRINCIPAL)).toEqual({ caller: 'agent://local', permissions: ['all'] });
    const { subject: _none, ...machine } = principal;
    expect(checked({ user_id: 'root' }, machine)).toEqual({ caller: 'agent://report_orchestrator' });
  });

  it('stores nothing that differs in a repetition of the request', () => {
    const [one, other] = ['2025-07-04T11:00:00Z', '2025-07-04T11:01:00Z'].map((timestamp) => {
      const request = contexts.checked(aRequest({ ...SEED, timestamp, nonce: timestamp }), { principal });
      return contexts.lent(request, { id: 's' }, { principal });
    });
    expect(one).toEqual(other);
    expect(one && contextOf(one.message)).not.toHaveProperty('timestamp');
  });

  it('refuses a context that is none, with the path', () => {
    const violations = [{ field: `message.metadata.${CONTEXT_EXTENSION}.caller` }];
    expect(() => checked({ caller: 5 })).toThrow(expect.objectContaining({ kind: 'InvalidParams' }));
    try {
      checked({ caller: 5 });
    } catch (error) {
      expect(error).toMatchObject({ violations });
    }
  });

  it('leaves a message without a context as it is', () => {
    const request = aRequest();
    expect(contexts.checked(request, { principal })).toBe(request);
    expect(contexts.lent(request, { id: 's', memory: { reads: ['*'] } }, { principal })).toBe(request);
  });

  it('lends a skill what its contract reads, and nothing without one', () => {
    const request = contexts.checked(aRequest(SEED), { principal });
    const lentTo = (reads?: readonly string[]): unknown => {
      const skill = { id: 's', ...(reads === undefined ? {} : { memory: { reads } }) };
      return contextOf(contexts.lent(request, skill, { principal }).message)?.memory;
    };
    expect(lentTo(['current_*'])).toEqual({ current_doc: 'document_003' });
    expect(lentTo(['other'])).toBeUndefined();
    expect(lentTo()).toBeUndefined();
  });
});
