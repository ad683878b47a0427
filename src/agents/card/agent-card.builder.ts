import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/principal.js';
import { missingScope } from '../../auth/scopes.js';
import { GrpcAddress } from '../../platform/address/grpc-address.js';
import type { ListedAddress } from '../../platform/address/listed-address.js';
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

  /** The public addresses besides one. */
  others(than?: ListedAddress): readonly ListedAddress[] {
    const { addresses = [] } = this.options;
    return addresses.filter(({ url }) => url !== this.url(than));
  }

  /** The public card at an address. Call once the service listens: its own port may be unknown before. */
  build(at?: ListedAddress): AgentCard {
    return this.cardWith(this.skills.options, at);
  }

  /**
   * The card for one caller: the skills that its scopes and the policy permit, and its present and missing scopes
   * (A2A-XCARD-04, O-14).
   */
  buildFor(principal: Principal, at = principal.askedAt): AgentCard {
    const { current } = this.policies;
    const callable = this.skills.options.filter(
      (skill) =>
        missingScope(principal, skill.scopes ?? []) === undefined && current.mayUse(principal, skill).isAllowed,
    );
    return this.cardWith(callable, at, [scopeExtension(principal, this.options.scopes, this.skills.options)]);
  }

  /** URL of the service at an address, without a trailing slash. */
  url(at?: ListedAddress): string {
    return this.addresses(at).http;
  }

  /** The URL of the public keys of card signatures. */
  keySetUrl(at?: ListedAddress): string {
    return `${this.url(at)}/.well-known/jwks.json`;
  }

  private cardWith(
    skills: readonly SkillOptions[],
    at: ListedAddress | undefined,
    more: readonly AgentExtension[] = [],
  ): AgentCard {
    const { agent, facts, security } = this.options;
    const { extensions: _own, ...description } = agent;
    const declared = declaredExtensions(this.options, skills, this.url(at));
    const extensions = [...declared.filter(({ uri }) => !more.some((one) => one.uri === uri)), ...more];
    return {
      ...description,
      supportedInterfaces: cardInterfaces(this.addresses(at)),
      capabilities: { streaming: true, ...facts, ...(extensions.length === 0 ? {} : { extensions }) },
      ...security,
      defaultInputModes: distinct(skills.flatMap(inputModesOf)),
      defaultOutputModes: distinct(skills.flatMap(outputModesOf)),
      skills: skills.map((skill) => cardSkill(skill, security)),
    };
  }

  /** Another than the default address has gRPC only if its own server is named. */
  private addresses(at?: ListedAddress): CardAddresses {
    const first = this.options.addresses?.[0];
    const http = at?.url ?? first?.url ?? this.address.url();
    const { port } = this.grpc;
    if (port === undefined) return { http };
    const isFirst = at === undefined || at.url === first?.url;
    const named = isFirst ? (first?.grpc ?? this.options.grpcPublicAddress) : (at.grpc ?? '');
    const grpc = named ?? `${new URL(http).hostname}:${String(port)}`;
    return grpc === '' ? { http } : { http, grpc };
  }
}

function distinct(modes: readonly string[]): readonly string[] {
  return [...new Set(modes)];
}
