import { Injectable } from '@nestjs/common';
import { invalidParams } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import type { Call } from '../../operations/call.js';
import { SkillScopes } from '../../operations/skill-scopes.js';
import { SkillRegistry } from '../../skill/skill.registry.js';
import { unknownModel } from './openai-faults.js';

/** The model that leaves the choice of the skill to the service. */
export const OWN_CHOICE = 'parley';

/** The skills that a caller may run, as models. */
@Injectable()
export class OfferedModels {
  private readonly since = Math.floor(Date.now() / 1000);

  constructor(
    private readonly skills: SkillRegistry,
    private readonly scopes: SkillScopes,
  ) {}

  /**
   * The skill of a model; undefined for the service's own choice.
   * @param needsContract whether the answer is to be JSON
   * @throws HttpFault where it is none of the caller's, A2AError where its answers are not JSON
   */
  skillOf(model: string, call: Pick<Call, 'principal'>, needsContract = false): SkillOptions | undefined {
    const skill = model === OWN_CHOICE ? undefined : this.skills.find(model)?.options;
    if (model !== OWN_CHOICE && (skill === undefined || !this.scopes.allows(model, call))) throw unknownModel(model);
    if (!needsContract || skill?.output !== undefined) return skill;
    const description = 'needs a model with an output contract: other answers are not JSON';
    throw invalidParams([{ field: 'response_format', description }]);
  }

  list(call: Pick<Call, 'principal'>): readonly JsonObject[] {
    const skills = this.skills.options.filter(({ id }) => this.scopes.allows(id, call));
    return [this.described(undefined), ...skills.map((skill) => this.described(skill))];
  }

  described(skill: SkillOptions | undefined): JsonObject {
    const { id = OWN_CHOICE, name = 'Parley', description = 'The service chooses the skill.' } = skill ?? {};
    return { id, object: 'model', created: this.since, owned_by: OWN_CHOICE, name, description };
  }
}
