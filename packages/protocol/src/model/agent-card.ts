import type { JsonObject } from './json.js';

/** A2A 1.0 `AgentInterface`: one way to reach the agent. */
export interface AgentInterface {
  readonly url: string;
  readonly protocolBinding: string;
  readonly tenant?: string;
  /** `Major.Minor` (A2A-VER-01). */
  readonly protocolVersion: string;
}

export interface AgentExtension {
  readonly uri: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly params?: JsonObject;
}

export interface AgentCapabilities {
  readonly streaming?: boolean;
  readonly pushNotifications?: boolean;
  readonly extensions?: readonly AgentExtension[];
  readonly extendedAgentCard?: boolean;
}

/** Scheme name → scopes; entries of the surrounding array are alternatives (A2A 1.0 `SecurityRequirement`). */
export interface SecurityRequirement {
  readonly schemes: Readonly<Record<string, { readonly list: readonly string[] }>>;
}

/** A2A 1.0 `SecurityScheme`: exactly one member is set. */
export type SecurityScheme =
  | { readonly apiKeySecurityScheme: { description?: string; location: 'query' | 'header' | 'cookie'; name: string } }
  | { readonly httpAuthSecurityScheme: { description?: string; scheme: string; bearerFormat?: string } }
  | { readonly oauth2SecurityScheme: { description?: string; flows: OAuthFlows; oauth2MetadataUrl?: string } }
  | { readonly openIdConnectSecurityScheme: { description?: string; openIdConnectUrl: string } }
  | { readonly mtlsSecurityScheme: { description?: string } };

/** A2A 1.0 `OAuthFlows`; Parley's callers are services, so only their flow is offered. */
export interface OAuthFlows {
  readonly clientCredentials: {
    readonly tokenUrl: string;
    readonly refreshUrl?: string;
    readonly scopes: Readonly<Record<string, string>>;
  };
}

export interface AgentSkill {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly examples?: readonly string[];
  readonly inputModes?: readonly string[];
  readonly outputModes?: readonly string[];
  readonly securityRequirements?: readonly SecurityRequirement[];
}

export interface AgentCardSignature {
  readonly protected: string;
  readonly signature: string;
  readonly header?: JsonObject;
}

/** The agent card (A2A 1.0 `AgentCard`). */
export interface AgentCard {
  readonly name: string;
  readonly description: string;
  readonly supportedInterfaces: readonly AgentInterface[];
  readonly provider?: { readonly url: string; readonly organization: string };
  readonly version: string;
  readonly documentationUrl?: string;
  readonly capabilities: AgentCapabilities;
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>;
  readonly securityRequirements?: readonly SecurityRequirement[];
  readonly defaultInputModes: readonly string[];
  readonly defaultOutputModes: readonly string[];
  readonly skills: readonly AgentSkill[];
  readonly signatures?: readonly AgentCardSignature[];
  readonly iconUrl?: string;
}
