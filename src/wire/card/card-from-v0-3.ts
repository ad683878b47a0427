/** Card: the 1.0 shape of a 0.3 card, the reverse of `card-v0-3.ts`. Not validated. */
import type { JsonObject } from '../../protocol/json.js';
import { isJsonObject, mapArray, member, nonEmpty, withoutUnset } from '../json-value.js';

/** The 1.0 shape of a card of either version: a card with `supportedInterfaces` has it already. */
export function cardFromV03(card: unknown): unknown {
  if (!isJsonObject(card) || card.supportedInterfaces !== undefined) return card;
  const { securitySchemes, security, signatures: _ofAnotherShape, ...kept } = card;
  const capabilities = isJsonObject(card.capabilities) ? card.capabilities : {};
  return withoutUnset({
    ...kept,
    supportedInterfaces: interfacesOf(card),
    capabilities: withoutUnset({
      ...capabilities,
      extendedAgentCard: member(card, 'supportsAuthenticatedExtendedCard'),
    }),
    securitySchemes: isJsonObject(securitySchemes) ? mapValues(securitySchemes, schemeFromV03) : undefined,
    securityRequirements: mapArray(nonEmpty({ security }, 'security'), requirementFromV03),
    skills: mapArray(card.skills, skillFromV03),
  });
}

/** The main `url` first, then the additional ones; a 0.3 card names its version once for all of them. */
function interfacesOf(card: JsonObject): unknown {
  const protocolVersion = '0.3';
  const main = { url: card.url, protocolBinding: nonEmpty(card, 'preferredTransport') ?? 'JSONRPC', protocolVersion };
  const others = Array.isArray(card.additionalInterfaces) ? card.additionalInterfaces : [];
  const additional = others.flatMap((one: unknown) =>
    isJsonObject(one) && (one.url !== main.url || one.transport !== main.protocolBinding)
      ? [{ url: one.url, protocolBinding: one.transport, protocolVersion }]
      : [],
  );
  return [main, ...additional];
}

function skillFromV03(skill: unknown): unknown {
  if (!isJsonObject(skill)) return skill;
  const { security, ...kept } = skill;
  return withoutUnset({
    ...kept,
    securityRequirements: mapArray(nonEmpty({ security }, 'security'), requirementFromV03),
  });
}

function requirementFromV03(requirement: unknown): unknown {
  return isJsonObject(requirement) ? { schemes: mapValues(requirement, (list) => ({ list })) } : requirement;
}

function schemeFromV03(scheme: unknown): unknown {
  if (!isJsonObject(scheme)) return scheme;
  const { type, ...members } = scheme;
  switch (type) {
    case 'apiKey': {
      const { in: location, ...rest } = members;
      return { apiKeySecurityScheme: { ...rest, location } };
    }
    case 'http':
      return { httpAuthSecurityScheme: members };
    case 'oauth2':
      return { oauth2SecurityScheme: members };
    case 'openIdConnect':
      return { openIdConnectSecurityScheme: members };
    case 'mutualTLS':
      return { mtlsSecurityScheme: members };
    default:
      return scheme;
  }
}

function mapValues(object: JsonObject, map: (value: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]));
}
