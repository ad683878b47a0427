import { Inject, Injectable } from '@nestjs/common';
import { contextViolations } from '../../intents/intent-request.js';
import { CONTEXT_EXTENSION, contextOf, isDebug, memoryOf } from '@parley/protocol/extension/context-extension.js';
import { A2AError, invalidParams } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { SendMessageRequest } from '@parley/protocol/model/operations.js';
import { RERUN_OF, SIMULATED } from '@parley/protocol/extension/marks.js';
import { SCOPE_EXTENSION } from '@parley/protocol/extension/scope-extension.js';
import { CallerGate } from '../../../auth/caller.gate.js';
import { DEBUG_SCOPE, missingScopes } from '../../../auth/scopes.js';
import type { Principal } from '../../../auth/principal.js';
import { Freshness } from '../../../policy/freshness.js';
import { CallLimits } from '../../../limits/call-limits.js';
import { Policies } from '../../../policy/policies.js';
import type { PolicySkill } from '../../../policy/policy.js';
import { readsOf } from '@parley/sdk/skill/contract/memory.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import type { Call } from '../../call.js';
import { withoutForeignWords } from './caller-claims.js';
import { narrowed, negotiatedScopes, scopeHeaders } from './wanted-scopes.js';

/** A request with a verified context, and its caller with the requested rights. */
export interface CheckedRequest<C> {
  readonly request: SendMessageRequest;
  readonly call: C;
}

/** Members about one sending of a request: a repeat has other values, and is the same request. */
const OF_THE_SENDING = ['timestamp', 'nonce'];

/**
 * The context object of messages (extension `context:1`): claims about the caller must match its credential, and a
 * skill gets only the memory that its contract reads (O-10, O-11).
 */
@Injectable()
export class MessageContexts {
  constructor(
    private readonly policies: Policies,
    private readonly freshness: Freshness,
    private readonly limits: CallLimits,
    @Inject(CallerGate) private readonly gate: Pick<CallerGate, 'requireScopes'>,
  ) {}

  /** Enforces the policy's demands on a call that begins a task. @throws A2AError InvalidParams, RateLimitedError */
  async requireDemands(
    skill: PolicySkill,
    { message }: SendMessageRequest,
    { principal }: Pick<Call, 'principal'>,
  ): Promise<void> {
    const demands = this.policies.current.demandsOf(principal, skill);
    if (demands === undefined) return;
    for (const { rule, rate } of demands.rates) await this.limits.countRule(principal, rule, rate);
    if (demands.fresh !== undefined) await this.freshness.require(principal, contextOf(message), demands.fresh);
  }

  /**
   * The request with a verified context, and its caller limited to the requested rights; both unchanged if the message
   * states none.
   * @throws A2AError InvalidParams, PermissionDenied for a foreign name and for debug mode without its scope
   */
  checked<C extends Pick<Call, 'principal' | 'setHeaders' | 'rerunOf'>>(
    sent: SendMessageRequest,
    call: C,
  ): CheckedRequest<C> {
    const request = this.withOwnContext(withoutForeignWords(sent), call.principal);
    // The requested scopes of the context are reduced to the granted ones where it is stored.
    const scopes = negotiatedScopes(sent.message, call.principal);
    const marks: Record<string, unknown> = call.rerunOf === undefined ? {} : { [RERUN_OF]: call.rerunOf };
    if (isDebug(request.message)) {
      this.gate.requireScopes(call.principal, [DEBUG_SCOPE]);
      call.setHeaders({ 'parley-simulated': 'true' });
      marks[SIMULATED] = true;
    }
    if (scopes !== undefined) {
      call.setHeaders(scopeHeaders(scopes));
      marks[SCOPE_EXTENSION] = scopes;
    }
    const caller = scopes === undefined ? call : { ...call, principal: narrowed(call.principal, scopes) };
    return { request: withMarks(request, marks), call: caller };
  }

  private withOwnContext(request: SendMessageRequest, principal: Principal): SendMessageRequest {
    const given = request.message.metadata?.[CONTEXT_EXTENSION];
    if (given === undefined) return request;
    const violations = contextViolations(given);
    const context = contextOf(request.message);
    if (violations.length > 0 || context === undefined) {
      const path = `message.metadata.${CONTEXT_EXTENSION}`;
      throw invalidParams(violations.map(({ field, description }) => ({ field: path + field, description })));
    }
    requireOwnClaims(context, principal);
    return withContext(request, relied(context, principal, this.policies.current.mayRelay(principal)));
  }

  /**
   * The request in its form for the store and the skill: the memory is reduced by the skill's contract and the policy.
   */
  lent(
    request: SendMessageRequest,
    skill: Pick<SkillOptions, 'id' | 'memory'> | undefined,
    { principal }: Pick<Call, 'principal'>,
  ): SendMessageRequest {
    const context = contextOf(request.message);
    if (context === undefined) return request;
    const kept = Object.entries(context).filter(([name]) => name !== 'memory' && !OF_THE_SENDING.includes(name));
    const reads = readsOf(skill);
    const declared = Object.entries(memoryOf([request.message])).filter(([key]) => reads(key));
    const memory = this.policies.permitted(principal, skill?.id ?? '', Object.fromEntries(declared));
    const lent = Object.keys(memory).length === 0 ? [] : [['memory', memory] as const];
    return withContext(request, Object.fromEntries([...kept, ...lent]));
  }
}

/**
 * The stored context: the verified caller replaces the claimed one; the first caller is kept only from a relay.
 * @param isRelay whether the policy trusts the caller to act for others
 */
function relied(context: JsonObject, principal: Principal, isRelay: boolean): JsonObject {
  const { permissions, user_id: _claimed, on_behalf_of: first, relayed_by: _relayed, ...rest } = context;
  return {
    ...rest,
    ...(isRelay && first !== undefined ? { on_behalf_of: first } : {}),
    caller: `agent://${principal.client}`,
    ...(principal.subject === undefined ? {} : { user_id: principal.subject }),
    ...(Array.isArray(permissions) ? { permissions: granted(principal, permissions) } : {}),
  };
}

function granted(principal: Principal, asked: readonly unknown[]): readonly string[] {
  const names = asked.filter((one) => typeof one === 'string');
  const missing = missingScopes(principal, names);
  return names.filter((name) => !missing.includes(name));
}

/**
 * Without authentication nothing is known of a caller, so nothing can differ; a client that acts for itself has no
 * user.
 */
function requireOwnClaims({ caller, user_id: user }: JsonObject, { method, client, subject }: Principal): void {
  if (method === 'local') return;
  if (typeof caller === 'string' && agentName(caller) !== client) throw foreignClaim('caller', 'the client');
  if (typeof user === 'string' && subject !== undefined && user !== subject) throw foreignClaim('user_id', 'the user');
}

function foreignClaim(member: string, whose: string): A2AError {
  return new A2AError('PermissionDenied', `The context names a "${member}" that is not ${whose} of the credential`);
}

/** The name in `agent://name` and `agent:name`, the seed's spellings of callers. */
function agentName(caller: string): string {
  return caller.replace(/^agent:(\/\/)?/, '');
}

/** Adds the service's own marks to the metadata of a request. */
function withMarks(request: SendMessageRequest, marks: JsonObject): SendMessageRequest {
  return Object.keys(marks).length === 0 ? request : { ...request, metadata: { ...request.metadata, ...marks } };
}

function withContext(request: SendMessageRequest, context: JsonObject): SendMessageRequest {
  const { message } = request;
  return { ...request, message: { ...message, metadata: { ...message.metadata, [CONTEXT_EXTENSION]: context } } };
}
