import type { AgentCapabilities, AgentExtension, AgentSkill } from '../model/agent-card.js';

/** A2A 0.3 `SecurityScheme`, discriminated by `type` as in OpenAPI. */
export type SecuritySchemeV03 = Readonly<Record<string, unknown>> & { readonly type: string };

/** A2A 0.3 security requirements: entries are alternatives, the names within one are all needed. */
export type SecurityV03 = readonly Readonly<Record<string, readonly string[]>>[];

export type SkillV03 = Omit<AgentSkill, 'securityRequirements'> & { readonly security?: SecurityV03 | undefined };

export interface CapabilitiesV03 extends Omit<AgentCapabilities, 'extensions' | 'extendedAgentCard'> {
  readonly stateTransitionHistory: boolean;
  readonly extensions?: readonly AgentExtension[] | undefined;
}

/** A2A 0.3 `AgentCard` (types.ts of the 0.3.0 release). `undefined` members are left out. */
export interface AgentCardV03 {
  readonly protocolVersion: string;
  readonly name: string;
  readonly description: string;
  readonly url: string;
  readonly preferredTransport: string;
  readonly additionalInterfaces?: readonly { readonly url: string; readonly transport: string }[] | undefined;
  readonly iconUrl?: string | undefined;
  readonly provider?: { readonly url: string; readonly organization: string } | undefined;
  readonly version: string;
  readonly documentationUrl?: string | undefined;
  readonly capabilities: CapabilitiesV03;
  readonly securitySchemes?: Readonly<Record<string, SecuritySchemeV03>> | undefined;
  readonly security?: SecurityV03 | undefined;
  readonly defaultInputModes: readonly string[];
  readonly defaultOutputModes: readonly string[];
  readonly skills: readonly SkillV03[];
  readonly supportsAuthenticatedExtendedCard: boolean;
}
