import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/principal.js';
import { missingScope } from '../../auth/scopes.js';
import { GrpcAddress } from '../../platform/address/grpc-address.js';
import { PublicAddress } from '../../platform/address/public-address.js';
import type { AgentCard, AgentExtension } from '@parley/protocol/model/agent-card.js';
import { Policies } from '../../policy/policies.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import { SkillRegistry } from '../../skill/skill.registry.js';
import { inputModesOf, outputModesOf } from '../../skill/skill.router.js';
import { type CardAddresses, cardInterfaces } from './card-interfaces.js';
import { CardOptions } from './card.options.js';
import { cardSkill } from './card-skill.js';
import { declaredExtensions } from './declared-extensions.js';
import { scopeExtension } from './scope-extension.js';

/**
 * Builds the agent card from the running service: served bindings, registered skills, enabled capabilities
 * (A2A-CARD-03). Omits members with default values, so that the signed form equals the served form.
 */
@Injectable()
export class AgentCardBuilder {
  constructor(
    private readonly skills: SkillRegistry,
    private readonly address: PublicAddress,
    private readonly grpc: GrpcAddress,
    private readonly policies: Policies,
    @Inject(CardOptions) private readonly options: CardOptions,
  ) {}

  /** The public card. Call once the service listens: its own port may be unknown before. */
  build(): AgentCard {
    return this.cardWith(this.skills.options);
  }

  /**
   * The card for one caller: the skills that its scopes and the policy permit, and its present and missing scopes
   * (A2A-XCARD-04, O-14).
   */
  buildFor(principal: Principal): AgentCard {
    const { current } = this.policies;
    const callable = this.skills.options.filter(
      (skill) =>
        missingScope(principal, skill.scopes ?? []) === undefined && current.mayUse(principal, skill).isAllowed,
    );
    return this.cardWith(callable, [scopeExtension(principal, this.options.scopes, this.skills.options)]);
  }

  /** Public URL of the service, without a trailing slash. */
  url(): string {
    return this.addresses().http;
  }

  /** The URL of the public keys of card signatures. */
  keySetUrl(): string {
    return `${this.url()}/.well-known/jwks.json`;
  }

  private cardWith(skills: readonly SkillOptions[], more: readonly AgentExtension[] = []): AgentCard {
    const { agent, facts, security } = this.options;
    const { extensions: _own, ...description } = agent;
    const declared = declaredExtensions(this.options, skills, this.addresses().http);
    const extensions = [...declared.filter(({ uri }) => !more.some((one) => one.uri === uri)), ...more];
    return {
      ...description,
      supportedInterfaces: cardInterfaces(this.addresses()),
      capabilities: { streaming: true, ...facts, ...(extensions.length === 0 ? {} : { extensions }) },
      ...security,
      defaultInputModes: distinct(skills.flatMap(inputModesOf)),
      defaultOutputModes: distinct(skills.flatMap(outputModesOf)),
      skills: skills.map((skill) => cardSkill(skill, security)),
    };
  }

  private addresses(): CardAddresses {
    const { publicUrl, grpcPublicAddress } = this.options;
    const http = publicUrl ?? this.address.url();
    if (this.grpc.port === undefined) return { http };
    return { http, grpc: grpcPublicAddress ?? `${new URL(http).hostname}:${String(this.grpc.port)}` };
  }
}

function distinct(modes: readonly string[]): readonly string[] {
  return [...new Set(modes)];
}
