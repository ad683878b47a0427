import { Injectable } from '@nestjs/common';
import { A2AError, type FieldViolation, invalidParams } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { conditionFault } from '@parley/sdk/skill/calls/conditions.js';
import { membersOf } from '@parley/sdk/skill/contract/json-schema.js';
import { SkillRegistry } from '../../skill/skill.registry.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import {
  CONTEXT_NAMES,
  messageOfIntent,
  readRunRequest,
  type RunRequest,
} from '../../operations/intents/intent-request.js';
import { type Intent, Intents } from '../../operations/intents/intents.js';

/** The skill that runs delegations, from the pack `delegate`. */
const DELEGATE = 'delegate';
const MEMBERS = ['delegated_intent', 'context', 'memory', 'success_conditions', 'fallback'];

/** A call of `POST /run`. */
export interface RunCall {
  readonly intent: Intent;
  readonly asked: RunRequest;
}

/**
 * Reads the bodies of `POST /run`: calls of an intent, and delegation packets (seed 2 § 7.4), which become calls of the
 * skill `delegate`. A packet is checked against the contracts of the named skills before any task exists: the members
 * of its `context` that the contract declares are the input, the others are the context of the call.
 */
@Injectable()
export class RunRequests {
  constructor(
    private readonly skills: SkillRegistry,
    private readonly intents: Intents,
  ) {}

  /** @throws A2AError MethodNotFound, InvalidRequest, InvalidParams with the path of every wrong member */
  async read(body: unknown): Promise<RunCall> {
    if (isJsonObject(body) && 'delegated_intent' in body) return this.delegation(body);
    const asked = readRunRequest(body);
    const intent = this.intents.find(asked.intent);
    if (intent === undefined) throw new A2AError('MethodNotFound', `There is no intent "${asked.intent.slice(0, 80)}"`);
    return { intent, asked };
  }

  private async delegation(packet: JsonObject): Promise<RunCall> {
    const { delegated_intent: id, success_conditions: success = [], fallback, context = {}, memory } = packet;
    const target = typeof id === 'string' ? this.skills.find(id)?.options : undefined;
    const called = typeof id === 'string' ? this.intents.find(id) : undefined;
    const intent = this.intents.find(DELEGATE);
    if (intent === undefined) {
      throw new A2AError('MethodNotFound', 'Delegation is off here: SKILLS does not name the pack "delegate"');
    }
    if (target === undefined || called === undefined) {
      throw new A2AError('MethodNotFound', `There is no intent "${String(id).slice(0, 80)}" to delegate to`);
    }
    const violations = [
      ...unknownMembers(packet),
      ...(isListOfTexts(success) ? conditionViolation(conditionFault(target, success)) : [WRONG_CONDITIONS]),
      ...this.fallbackViolation(fallback),
    ];
    if (!isJsonObject(context)) violations.push({ field: 'context', description: 'must be an object' });
    if (violations.length > 0) throw invalidParams(violations);
    const { inputs, claims } = divided(isJsonObject(context) ? context : {}, target.input && membersOf(target.input));
    await this.requireInput(called, inputs);
    const delegation = { delegated_intent: called.id, inputs, success_conditions: success };
    const asked = readRunRequest({
      intent: DELEGATE,
      inputs: typeof fallback === 'string' ? { ...delegation, fallback } : delegation,
      ...(Object.keys(claims).length === 0 ? {} : { context: claims }),
      ...(memory === undefined ? {} : { memory }),
    });
    return { intent, asked };
  }

  private fallbackViolation(fallback: unknown): readonly FieldViolation[] {
    if (fallback === undefined) return [];
    if (typeof fallback === 'string' && this.skills.find(fallback) !== undefined) return [];
    return [{ field: 'fallback', description: 'must be the id of a skill' }];
  }

  /** Checks the input against the contract of the delegated skill; paths are those of the packet. */
  private async requireInput(
    intent: { readonly id: string; readonly takesData: boolean },
    inputs: JsonObject,
  ): Promise<void> {
    const violations = await this.skills.inputViolations(
      intent.id,
      messageOfIntent(intent, { inputs }, () => 'packet'),
    );
    if (violations.length === 0) return;
    const pathOf = (field: string): string =>
      field.replace(/^message\.(?:parts\[0\]\.data|metadata\.input)/, 'context');
    throw invalidParams(violations.map(({ field, description }) => ({ field: pathOf(field), description })));
  }
}

const WRONG_CONDITIONS = { field: 'success_conditions', description: 'must be a list of names' };

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function conditionViolation(fault: string | undefined): readonly FieldViolation[] {
  return fault === undefined ? [] : [{ field: 'success_conditions', description: fault }];
}

function unknownMembers(packet: JsonObject): FieldViolation[] {
  return Object.keys(packet)
    .filter((name) => !MEMBERS.includes(name))
    .map((field) => ({ field, description: 'is not a known field' }));
}

function divided(
  context: JsonObject,
  declared: readonly string[] = [],
): { readonly inputs: JsonObject; readonly claims: JsonObject } {
  const isClaim = (name: string): boolean => CONTEXT_NAMES.includes(name) && !declared.includes(name);
  const entries = Object.entries(context);
  return {
    inputs: Object.fromEntries(entries.filter(([name]) => !isClaim(name))),
    claims: Object.fromEntries(entries.filter(([name]) => isClaim(name))),
  };
}
