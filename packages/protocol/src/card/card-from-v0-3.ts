/** Card: the 1.0 shape of a 0.3 card, the reverse of `card-v0-3.ts`. Not validated. */
import type { JsonObject } from '../model/json.js';
import { isJsonObject, mapArray, member, nonEmpty, nonEmptyList, withoutUnset } from '../json/json-value.js';

/** The 1.0 shape of a card of either version: a card with `supportedInterfaces` has it already. */
export function cardFromV03(card: unknown): unknown {
  if (!isJsonObject(card) || card.supportedInterfaces !== undefined) return card;
  const { securitySchemes: given, security, signatures: _ofAnotherShape, ...kept } = card;
  const securitySchemes = isJsonObject(given) ? oneFlowEach(given) : undefined;
  const required = (list: unknown): unknown => requirementsFromV03(list, Object.keys(securitySchemes ?? {}));
  const capabilities = isJsonObject(card.capabilities) ? card.capabilities : {};
  return withoutUnset({
    ...kept,
    supportedInterfaces: interfacesOf(card),
    capabilities: withoutUnset({
      ...capabilities,
      extendedAgentCard: member(card, 'supportsAuthenticatedExtendedCard'),
    }),
    securitySchemes: securitySchemes && mapValues(securitySchemes, schemeFromV03),
    securityRequirements: required(nonEmptyList({ security }, 'security')),
    skills: mapArray(card.skills, (skill) => skillFromV03(skill, required)),
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

function skillFromV03(skill: unknown, required: (list: unknown) => unknown): unknown {
  if (!isJsonObject(skill)) return skill;
  const { security, ...kept } = skill;
  return withoutUnset({
    ...kept,
    securityRequirements: required(nonEmptyList({ security }, 'security')),
  });
}

/** An OAuth scheme of 1.0 has one flow: a scheme with several becomes one for each, named after it (TRAP-16). */
function oneFlowEach(schemes: JsonObject): JsonObject {
  const parts = Object.entries(schemes).flatMap(([name, scheme]) => {
    const flows = isJsonObject(scheme) && scheme.type === 'oauth2' && isJsonObject(scheme.flows) ? scheme.flows : {};
    const names = Object.keys(flows);
    if (names.length < 2) return [[name, scheme]];
    return names.map((flow) => [flowName(name, flow), { ...(scheme as JsonObject), flows: { [flow]: flows[flow] } }]);
  });
  return Object.fromEntries(parts) as JsonObject;
}

function flowName(scheme: string, flow: string): string {
  return `${scheme}.${flow}`;
}

/** Each requirement with the schemes as they are named now: where a scheme has become several, any of them will do. */
function requirementsFromV03(list: unknown, schemes: readonly string[]): unknown {
  if (!Array.isArray(list)) return list;
  return list.flatMap((requirement: unknown) => {
    if (!isJsonObject(requirement)) return [requirement];
    let alternatives: readonly JsonObject[] = [{}];
    for (const [name, scopes] of Object.entries(requirement).slice(0, MAX_NAMED)) {
      const flows = schemes.filter((one) => FLOWS.some((flow) => one === flowName(name, flow)));
      const names = schemes.includes(name) || flows.length === 0 ? [name] : flows;
      alternatives = alternatives.flatMap((one) => names.map((as) => ({ ...one, [as]: { list: scopes } })));
    }
    return alternatives.slice(0, MAX_ALTERNATIVES).map((one) => ({ schemes: one }));
  });
}

const FLOWS = ['authorizationCode', 'clientCredentials', 'implicit', 'password'] as const;
/** Schemes of one requirement, and the bound of their alternatives: a card cannot make this long. */
const MAX_NAMED = 8;
const MAX_ALTERNATIVES = 64;

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
