import { Inject, Injectable } from '@nestjs/common';
import type { AgentCard, AgentInterface, AgentSkill } from '../protocol/agent-card.js';
import { SkillRegistry } from '../skill/skill.registry.js';
import { skillSchemaExtension } from '../skill/contract/skill-schema.js';
import { inputModesOf, outputModesOf } from '../skill/skill.router.js';
import type { SkillOptions } from '../skill/skill.js';
import { PublicAddress } from '../http/public-address.js';
import { CardOptions } from './card.options.js';

const HTTP_INTERFACES = [
  ['JSONRPC', '1.0'],
  ['HTTP+JSON', '1.0'],
  ['JSONRPC', '0.3'],
  ['HTTP+JSON', '0.3'],
] as const;

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
      supportedInterfaces: this.interfaces(),
      version: this.options.version,
      capabilities: {
        streaming: true,
        pushNotifications: this.options.pushNotifications,
        extendedAgentCard: false,
        ...(schemas === undefined ? {} : { extensions: [schemas] }),
      },
      ...this.options.security,
      defaultInputModes: distinct(skills.flatMap(inputModesOf)),
      defaultOutputModes: distinct(skills.flatMap(outputModesOf)),
      skills: skills.map(cardSkill),
    };
  }

  /** Every version on every binding that serves it, the preferred one first (A2A-VER-02, DISP-13). */
  private interfaces(): readonly AgentInterface[] {
    const { publicUrl, grpcAddress } = this.options;
    const url = `${publicUrl ?? this.address.url()}/`;
    const http = HTTP_INTERFACES.map(([protocolBinding, protocolVersion]) => ({
      url,
      protocolBinding,
      protocolVersion,
    }));
    if (grpcAddress === undefined) return http;
    const grpc = { url: grpcAddress, protocolBinding: 'GRPC' };
    return [...http, { ...grpc, protocolVersion: '1.0' }, { ...grpc, protocolVersion: '0.3' }];
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
