import { Inject, Injectable } from '@nestjs/common';
import type { AgentCard, AgentSkill } from '../protocol/agent-card.js';
import { SkillRegistry } from '../skill/skill.registry.js';
import { skillSchemaExtension } from '../skill/contract/skill-schema.js';
import { inputModesOf, outputModesOf } from '../skill/skill.router.js';
import type { SkillOptions } from '../skill/skill.js';
import { PublicAddress } from '../http/public-address.js';
import { CardOptions } from './card.options.js';

/** Builds the agent card from configuration and the skills that are really there (A2A-CARD-03). */
@Injectable()
export class AgentCardBuilder {
  constructor(
    private readonly skills: SkillRegistry,
    private readonly address: PublicAddress,
    @Inject(CardOptions) private readonly options: CardOptions,
  ) {}

  /** Once the service listens: before, it may not know its own port. */
  build(): AgentCard {
    const skills = this.skills.options;
    const schemas = skillSchemaExtension(skills);
    return {
      name: this.options.name,
      description: this.options.description,
      supportedInterfaces: [
        { url: `${this.options.publicUrl ?? this.address.url()}/`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      ],
      version: this.options.version,
      capabilities: {
        streaming: true,
        pushNotifications: false,
        extendedAgentCard: false,
        ...(schemas === undefined ? {} : { extensions: [schemas] }),
      },
      defaultInputModes: distinct(skills.flatMap(inputModesOf)),
      defaultOutputModes: distinct(skills.flatMap(outputModesOf)),
      skills: skills.map(cardSkill),
    };
  }
}

function cardSkill(skill: SkillOptions): AgentSkill {
  const { id, name, description, tags, examples } = skill;
  return {
    ...{ id, name, description, tags },
    ...(examples === undefined ? {} : { examples }),
    inputModes: inputModesOf(skill),
    outputModes: outputModesOf(skill),
  };
}

function distinct(modes: readonly string[]): readonly string[] {
  return [...new Set(modes)];
}
