import type { CardSecurity } from '../../auth/card-security.js';
import type { ListedAddress } from '../../platform/address/listed-address.js';
import type { AgentExtension } from '@parley/protocol/model/agent-card.js';
import type { ModelUsageLimits } from '@parley/protocol/extension/model-usage.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import type { CardSigningKeys } from './card-signing-keys.js';

/** The operator's part of the agent card. */
export interface AgentDescription {
  readonly name: string;
  readonly description: string;
  /** Version of the agent, not of the protocol. */
  readonly version: string;
  readonly provider?: { readonly url: string; readonly organization: string };
  readonly documentationUrl?: string;
  readonly iconUrl?: string;
  /** Extensions that the agent's skills implement; required ones are enforced (A2A-EXT-01, A2A-EXT-03). */
  readonly extensions?: readonly AgentExtension[];
}

/** Enabled optional capabilities. */
export interface CardFacts {
  readonly pushNotifications: boolean;
  /** Whether authenticated callers get a card of their own. */
  readonly extendedAgentCard: boolean;
}

export interface CardOptions {
  readonly agent: AgentDescription;
  readonly facts: CardFacts;
  readonly security: CardSecurity;
  /** The scopes of the service. */
  readonly scopes: readonly string[];
  /** Its public addresses, the default first. Default: the listen addresses. */
  readonly addresses?: readonly ListedAddress[];
  /** Address of its gRPC server at the default address, as `host:port`. Default: its listen address, if it is served. */
  readonly grpcPublicAddress?: string;
  readonly signingKeys: CardSigningKeys;
  /** Extensions declared by endpoints. */
  readonly entries?: readonly ((skills: readonly SkillOptions[], base: string) => AgentExtension | undefined)[];
  /** Language model limits of a task and of its tree; absent without a model. */
  readonly models?: ModelUsageLimits;
}

/** Injection token of the options. */
export const CardOptions = Symbol('CardOptions');
