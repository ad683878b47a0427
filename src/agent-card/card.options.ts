import type { CardSecurity } from '../security/auth/card-security.js';
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

/** Optional capabilities that are enabled. */
export interface CardFacts {
  readonly pushNotifications: boolean;
  /** Whether known callers get a card of their own: then they must be known. */
  readonly extendedAgentCard: boolean;
}

export interface CardOptions {
  readonly agent: AgentDescription;
  readonly facts: CardFacts;
  readonly security: CardSecurity;
  /** Where callers reach the agent: scheme, host and port, and no slash at the end. Absent: where the service listens. */
  readonly publicUrl?: string;
  /** Where callers reach its gRPC server, as `host:port`. Absent: where that listens, if it does. */
  readonly grpcPublicAddress?: string;
  readonly signingKeys: CardSigningKeys;
  /** What endpoints declare, each for itself. */
  readonly entries?: readonly ((skills: readonly SkillOptions[], base: string) => AgentExtension | undefined)[];
  /** What a task and those that work with it may use of the language model; absent: there is none. */
  readonly models?: ModelUsageLimits;
}

/** Injection token of the options. */
export const CardOptions = Symbol('CardOptions');
