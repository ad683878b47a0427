/** Reads the card of another agent, of any version. */
import type { AgentCard } from '../model/agent-card.js';
import { A2AError } from '../model/errors.js';
import type { JsonObject } from '../model/json.js';
import { isJsonObject, withoutUnset } from '../json/json-value.js';
import { cardFromV03 } from './card-from-v0-3.js';
import { cardFaults } from './check-card.js';

/**
 * Members that a card needs to be called. Refuses a member of a wrong type; an absent one gets its default, as does an
 * optional list that is null.
 */
export function readCard(value: unknown): AgentCard {
  const [fault] = cardFaults(value).filter(({ breaks }) => breaks);
  if (fault !== undefined) {
    throw new A2AError('InvalidAgentResponse', `The agent card is not valid: ${fault.field} ${fault.description}`);
  }
  const card = cardFromV03(value) as JsonObject;
  const interfaces = (card.supportedInterfaces as readonly JsonObject[]).map((one) => ({
    protocolVersion: '1.0',
    ...withoutUnset({ ...one, tenant: one.tenant === null ? undefined : one.tenant }),
  }));
  const skills = ((card.skills ?? []) as readonly JsonObject[]).map((skill) => ({
    ...{ name: skill.id, description: '', tags: [] },
    ...withoutNull(skill),
  }));
  return {
    ...{ description: '', version: '' },
    ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
    ...withoutNull(card),
    ...schemesOf(card),
    capabilities: withoutNull((card.capabilities ?? {}) as JsonObject),
    skills,
    supportedInterfaces: interfaces,
  } as unknown as AgentCard;
}

function schemesOf({ securitySchemes }: JsonObject): JsonObject {
  if (!isJsonObject(securitySchemes)) return {};
  const schemes = Object.entries(securitySchemes).map(([name, scheme]) => [name, schemeOf(scheme)] as const);
  return { securitySchemes: Object.fromEntries(schemes) };
}

/** Servers of @a2a-js/sdk 1.3 write a scheme as they hold it in memory, and not as JSON has it. */
function schemeOf(value: unknown): unknown {
  const held = isJsonObject(value) ? value.scheme : undefined;
  return isJsonObject(held) && typeof held.$case === 'string' ? { [held.$case]: held.value } : value;
}

function withoutNull(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}
