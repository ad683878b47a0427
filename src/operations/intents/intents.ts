import { Injectable } from '@nestjs/common';
import { acceptsPart } from '@parley/sdk/skill/content/media-type.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import { SkillRegistry } from '../../skill/skill.registry.js';
import { inputModesOf } from '../../skill/skill.router.js';

/** A skill that can be called by its id with typed inputs. */
export interface Intent {
  readonly id: string;
  /** Whether its messages may have a data part; else the message's metadata carry its inputs. */
  readonly takesData: boolean;
  /** Whether a contract checks its output. */
  readonly hasOutput: boolean;
}

/** The intents of this service: every skill with an `input` contract (O-01). */
@Injectable()
export class Intents {
  private readonly byId: ReadonlyMap<string, Intent>;

  constructor(skills: SkillRegistry) {
    this.byId = new Map(intentsOf(skills.options).map((intent) => [intent.id, intent]));
  }

  find(id: string): Intent | undefined {
    return this.byId.get(id);
  }
}

/** The intents among skills. Their ids are lower case without `/`, and so differ from A2A's method names. */
export function intentsOf(skills: readonly SkillOptions[]): readonly Intent[] {
  return skills
    .filter(({ input }) => input !== undefined)
    .map((skill) => ({
      id: skill.id,
      takesData: acceptsPart(inputModesOf(skill), { data: {} }),
      hasOutput: skill.output !== undefined,
    }));
}
