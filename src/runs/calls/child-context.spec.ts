import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { noPolicies } from '../../../test/kit/tasks/turn-sources.js';
import { Policies } from '../../policy/policies.js';
import { CONTEXT_EXTENSION } from '@parley/protocol/extension/context-extension.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Message } from '@parley/protocol/model/message.js';
import { AuditLog } from '../../audit/audit.log.js';
import { HISTORY_EXTENSION } from '@parley/sdk/skill/artifacts/skill-artifacts.js';
import { contextOfChild, passedHistory } from './child-context.js';

const CONTEXT = {
  caller: 'agent://planner',
  trace_id: 't-1',
  permissions: ['read:docs'],
  user_id: 'u',
  request_id: 'r',
};

function childOf(
  context: JsonObject | undefined,
  reads: readonly string[] | undefined,
  policies = noPolicies,
): JsonObject | undefined {
  const message: Message = {
    ...{ messageId: 'm', role: 'ROLE_USER', parts: [] },
    ...(context === undefined ? {} : { metadata: { [CONTEXT_EXTENSION]: context } }),
  };
  const run = { history: [message], messages: [message], tenant: 'acme', client: 'planner', subject: '' };
  const child = { id: 'child', ...(reads === undefined ? {} : { memory: { reads } }) };
  return contextOfChild(run, child, policies).metadata?.[CONTEXT_EXTENSION] as JsonObject | undefined;
}

describe(contextOfChild.name, () => {
  it('has the caller, request, trace and permissions, and not the user (O-11, SEED-58)', () => {
    const memory = { document_text: 'x', pipeline_stage: 'extracted' };
    expect(childOf({ ...CONTEXT, memory }, ['document_text'])).toEqual({
      ...{ caller: 'agent://planner', request_id: 'r', trace_id: 't-1', permissions: ['read:docs'] },
      memory: { document_text: 'x' },
    });
    expect(childOf({ ...CONTEXT, memory }, undefined)).not.toHaveProperty('memory');
    expect(childOf(undefined, ['*'])).toBeUndefined();
  });

  it('never has a key that its contract does not name, or that the policy withholds (O-11)', () => {
    const key = fc.string({ unit: fc.constantFrom('a', 'b', '.', '_'), minLength: 1, maxLength: 6 });
    const policy = { memory: [{ name: 'r', callers: ['*'], deny: ['a*'] }] };
    const policies = new Policies({ policy }, new AuditLog({ write: () => undefined }));
    fc.assert(
      fc.property(fc.dictionary(key, fc.integer()), fc.array(key, { maxLength: 4 }), (memory, reads) => {
        const lent = Object.keys(childOf({ ...CONTEXT, memory }, reads, policies)?.memory ?? {});
        expect(lent.toSorted()).toEqual(
          Object.keys(memory)
            .filter((one) => reads.includes(one) && !one.startsWith('a'))
            .toSorted(),
        );
      }),
    );
  });
});

describe(passedHistory.name, () => {
  it('omits the context of the messages: values lent in it are not for every child (O-11)', () => {
    const metadata = { own: 1, [CONTEXT_EXTENSION]: { ...CONTEXT, memory: { secret: 's' } } };
    const history: readonly Message[] = [{ messageId: 'm', role: 'ROLE_USER', parts: [], metadata }];
    expect(passedHistory({ history }, 'all')).toEqual({
      [HISTORY_EXTENSION]: [{ messageId: 'm', role: 'ROLE_USER', parts: [], metadata: { own: 1 } }],
    });
  });
});
