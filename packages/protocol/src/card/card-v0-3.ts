/** Card: 1.0 lists interfaces per version; 0.3 has one main `url`, and its flags and security under other names. */
import type { AgentCard, AgentInterface, AgentSkill } from '../model/agent-card.js';
import { schemeToV03, securityToV03 } from './security.js';
import type { AgentCardV03, SkillV03 } from './types.js';

/** The 1.0 card in its 0.3 shape. Signatures are left out: they sign the 1.0 shape (A2A-SIGN-06). */
export function cardToV03(card: AgentCard): AgentCardV03 {
  const [main, ...others] = interfacesForV03(card);
  const { streaming, pushNotifications, extensions, extendedAgentCard } = card.capabilities;
  return {
    protocolVersion: '0.3.0',
    name: card.name,
    description: card.description,
    url: main?.url ?? '',
    preferredTransport: main?.protocolBinding ?? 'JSONRPC',
    additionalInterfaces: others.map(({ url, protocolBinding }) => ({ url, transport: protocolBinding })),
    iconUrl: card.iconUrl,
    provider: card.provider,
    version: card.version,
    documentationUrl: card.documentationUrl,
    capabilities: {
      streaming: streaming ?? false,
      pushNotifications: pushNotifications ?? false,
      // In `metadata.stateTransitions` of tasks (SEED-07).
      stateTransitionHistory: true,
      extensions,
    },
    securitySchemes: mapSchemes(card),
    security: securityToV03(card.securityRequirements),
    defaultInputModes: card.defaultInputModes,
    defaultOutputModes: card.defaultOutputModes,
    skills: card.skills.map(skillToV03),
    supportsAuthenticatedExtendedCard: extendedAgentCard ?? false,
  };
}

/** The card as the proto of 0.3 has it: its security is written as in 1.0. */
export function cardToProtoV03(card: AgentCard): Readonly<Record<string, unknown>> {
  return {
    ...cardToV03(card),
    securitySchemes: card.securitySchemes,
    security: card.securityRequirements,
    skills: card.skills.map(({ securityRequirements, ...skill }) => ({ ...skill, security: securityRequirements })),
  };
}

/**
 * The interfaces that a 0.3 reader can use, in order of preference. A card that declares none of 0.3 still gives its
 * first interface, since `url` is required and a card must never fail (TRAP-69).
 */
function interfacesForV03({ supportedInterfaces }: AgentCard): readonly AgentInterface[] {
  const usable = supportedInterfaces.filter(({ protocolVersion }) => protocolVersion.startsWith('0.3'));
  return usable.length > 0 ? usable : supportedInterfaces.slice(0, 1);
}

function mapSchemes({ securitySchemes }: AgentCard): AgentCardV03['securitySchemes'] {
  if (securitySchemes === undefined) return undefined;
  return Object.fromEntries(Object.entries(securitySchemes).map(([name, scheme]) => [name, schemeToV03(scheme)]));
}

function skillToV03({ securityRequirements, ...skill }: AgentSkill): SkillV03 {
  return { ...skill, security: securityToV03(securityRequirements) };
}
