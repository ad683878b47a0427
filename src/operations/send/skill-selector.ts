import { Inject, Injectable } from '@nestjs/common';
import { A2AError, type FieldViolation, invalidParams } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Message } from '@parley/protocol/model/message.js';
import type { SendMessageRequest } from '@parley/protocol/model/operations.js';
import { readInput } from '@parley/sdk/skill/contract/skill-input.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import { type RegisteredSkill, SkillRegistry } from '../../skill/skill.registry.js';
import { misfitOf, routeMessage } from '../../skill/skill.router.js';
import type { Call } from '../call.js';
import { DirectAnswers } from './direct/direct-answers.js';
import { OperationOptions } from '../operation.options.js';
import { SkillScopes } from '../skill-scopes.js';
import { type CheckedRequest, MessageContexts } from './context/message-context.js';

/** The routing of a new message: a skill accepts it, none does (with the reason), or it is already answered. */
export type Choice =
  | { readonly skill: RegisteredSkill; readonly request: SendMessageRequest }
  | { readonly rejection: string; readonly request: SendMessageRequest }
  | { readonly answer: Message };

/** Chooses the skill of a message, and refuses invalid input before anything is stored. */
@Injectable()
export class SkillSelector {
  constructor(
    private readonly skills: SkillRegistry,
    private readonly direct: DirectAnswers,
    private readonly scopes: SkillScopes,
    private readonly contexts: MessageContexts,
    @Inject(OperationOptions) private readonly options: OperationOptions,
  ) {}

  /**
   * Throws `A2AError` PermissionDenied, ContentTypeNotSupported or, with field paths, InvalidParams (A2A-SEND-12,
   * A2A-SEND-17).
   */
  async of(request: SendMessageRequest, call: Call): Promise<Choice> {
    const { defaultSkillId } = this.options;
    const table = { skills: this.skills.options, ...(defaultSkillId === undefined ? {} : { defaultSkillId }) };
    const route = routeMessage(request, table);
    switch (route.kind) {
      case 'unsupported':
        throw new A2AError('ContentTypeNotSupported', route.text);
      case 'unknown':
        throw this.unknownSkill(route);
      case 'rejected':
        return { rejection: route.text, request: this.contexts.lent(request, undefined, call) };
      case 'skill':
        return this.taken(await this.fitting(route.skillId, request, call), request, call);
    }
  }

  /**
   * The request with a verified context, and the call with the requested rights. @throws A2AError InvalidParams,
   * PermissionDenied
   */
  trusted(request: SendMessageRequest, call: Call): CheckedRequest<Call> {
    return this.contexts.checked(request, call);
  }

  /** A message to a begun task, reduced to the parts for its skill. */
  lent(skillId: string, request: SendMessageRequest, call: Call): SendMessageRequest {
    return this.contexts.lent(request, this.skills.find(skillId)?.options, call);
  }

  /** The scopes that a task begun by the caller may use at other skills. */
  scopesOf(call: Call): readonly string[] | undefined {
    return this.scopes.heldBy(call);
  }

  /**
   * Checks a message to a begun task like the one that began it: the rights required by its skill, and the media types,
   * except for an answer, which its question validates. Throws `A2AError` PermissionDenied or ContentTypeNotSupported.
   */
  checkNext(skillId: string, request: SendMessageRequest, call: Call, isAnswer = false): void {
    const skill = this.skills.find(skillId)?.options;
    // The run reports a removed skill.
    if (skill === undefined) return;
    this.scopes.require(skillId, call);
    const misfit = isAnswer ? undefined : misfitOf(request, skill);
    if (misfit !== undefined) throw new A2AError('ContentTypeNotSupported', misfit);
  }

  /** With the ids of the skills for programs: `metadata.skillIds` of the error, comma-separated (decision 0013). */
  private unknownSkill(violation: FieldViolation): A2AError {
    const { field, description } = violation;
    return new A2AError('InvalidParams', `Invalid parameters: ${field}: ${description}`, {
      violations: [{ field, description }],
      metadata: { skillIds: this.skills.options.map(({ id }) => id).join(',') },
    });
  }

  private async taken(skill: RegisteredSkill, request: SendMessageRequest, call: Call): Promise<Choice> {
    const lent = this.contexts.lent(request, skill.options, call);
    if (skill.options.direct !== true) return { skill, request: lent };
    return { answer: await this.direct.answer(skill, lent, call) };
  }

  private async fitting(skillId: string, request: SendMessageRequest, call: Call): Promise<RegisteredSkill> {
    const skill = this.skills.find(skillId);
    if (skill === undefined) throw new Error(`The router chose a skill that is not registered: ${skillId}`);
    this.scopes.require(skillId, call);
    await this.contexts.requireDemands(skill.options, request, call);
    const violations = await this.skills.inputViolations(skillId, request);
    if (violations.length > 0) throw invalidParams(violations);
    await this.requireNamed(skill.options, request, call);
    return skill;
  }

  /** Skills named in the input are called on behalf of the caller, which must be permitted to use each. */
  private async requireNamed(options: SkillOptions, request: SendMessageRequest, call: Call): Promise<void> {
    const { callsNamed = [] } = options;
    if (callsNamed.length === 0) return;
    const input = await readInput(options, request);
    if (input.kind === 'violations' || input.value === undefined) return;
    const values: JsonObject = { ...input.value };
    for (const name of callsNamed) {
      const skillId = values[name];
      if (typeof skillId === 'string') this.scopes.require(skillId, call);
    }
  }
}
