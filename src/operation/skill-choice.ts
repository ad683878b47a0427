import { Inject, Injectable } from '@nestjs/common';
import { A2AError, invalidParams } from '../protocol/errors.js';
import type { SendMessageRequest } from '../protocol/operations.js';
import { type RegisteredSkill, SkillRegistry } from '../skill/skill.registry.js';
import { routeMessage } from '../skill/skill.router.js';
import { OperationOptions } from './operation.options.js';

/** What becomes of a message that begins a task: a skill, or a text that says why none takes it. */
export type Choice = { readonly skill: RegisteredSkill } | { readonly rejection: string };

/** Chooses the skill of a message, and refuses what the skill could not work with before anything is stored. */
@Injectable()
export class SkillChoice {
  constructor(
    private readonly skills: SkillRegistry,
    @Inject(OperationOptions) private readonly options: OperationOptions,
  ) {}

  /** Throws `A2AError` ContentTypeNotSupported or, with field paths, InvalidParams (A2A-SEND-12, A2A-SEND-17). */
  async of(request: SendMessageRequest): Promise<Choice> {
    const { defaultSkillId } = this.options;
    const table = { skills: this.skills.options, ...(defaultSkillId === undefined ? {} : { defaultSkillId }) };
    const route = routeMessage(request, table);
    switch (route.kind) {
      case 'unsupported':
        throw new A2AError('ContentTypeNotSupported', route.text);
      case 'rejected':
        return { rejection: route.text };
      case 'skill':
        return { skill: await this.fitting(route.skillId, request) };
    }
  }

  private async fitting(skillId: string, request: SendMessageRequest): Promise<RegisteredSkill> {
    const violations = await this.skills.inputViolations(skillId, request);
    if (violations.length > 0) throw invalidParams(violations);
    const skill = this.skills.find(skillId);
    if (skill === undefined) throw new Error(`The router chose a skill that is not registered: ${skillId}`);
    return skill;
  }
}
