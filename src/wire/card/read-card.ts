/** Checks the card of another agent, of any version. */
import type { AgentCard } from '../../protocol/agent-card.js';
import { A2AError, type FieldViolation } from '../../protocol/errors.js';
import type { JsonObject } from '../../protocol/json.js';
import { isJsonObject, withoutUnset } from '../json-value.js';
import { cardFromV03 } from './card-from-v0-3.js';

const MOST_INTERFACES = 50;
const MOST_SKILLS = 1000;
const MOST_TEXT = 20_000;

/** What an agent must have to be called; a member with a wrong type is refused, one that is absent gets its default, as an optional list that is null. */
export function readCard(value: unknown): AgentCard {
  const [fault] = faultsOf(value).filter(({ breaks }) => breaks);
  if (fault !== undefined) {
    throw new A2AError('InvalidAgentResponse', `The agent card is not valid: ${fault.field} ${fault.description}`);
  }
  const card = inFormOfV1(value) as JsonObject;
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
    capabilities: withoutNull((card.capabilities ?? {}) as JsonObject),
    skills,
    supportedInterfaces: interfaces,
  } as unknown as AgentCard;
}

function inFormOfV1(value: unknown): unknown {
  const card = cardFromV03(value);
  if (!isJsonObject(card) || !isJsonObject(card.securitySchemes)) return card;
  const schemes = Object.entries(card.securitySchemes).map(([name, scheme]) => [name, schemeOf(scheme)] as const);
  return { ...card, securitySchemes: Object.fromEntries(schemes) };
}

/** Servers of @a2a-js/sdk 1.3 write a scheme as they hold it in memory, and not as JSON has it. */
function schemeOf(value: unknown): unknown {
  const held = isJsonObject(value) ? value.scheme : undefined;
  return isJsonObject(held) && typeof held.$case === 'string' ? { [held.$case]: held.value } : value;
}

function withoutNull(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}

/** Everything that is wrong with a card (A2A 1.0 §4.4), also what this client could live with. */
export function cardFaults(value: unknown): readonly FieldViolation[] {
  return faultsOf(value).map(({ field, description }) => ({ field, description }));
}

interface Fault extends FieldViolation {
  /** Whether the card cannot be used. */
  readonly breaks: boolean;
}

function faultsOf(value: unknown): readonly Fault[] {
  const card = inFormOfV1(value);
  if (!isJsonObject(card)) return [broken('card', 'must be an object')];
  return [
    ...['name', 'description', 'version'].flatMap((name) => textFault(card, name, name === 'name')),
    ...interfaceFaults(card.supportedInterfaces),
    ...(card.capabilities === undefined ? [missing('capabilities')] : capabilityFaults(card.capabilities)),
    ...['defaultInputModes', 'defaultOutputModes'].flatMap((name) => modesFault(card[name], name)),
    ...skillFaults(card.skills),
    ...(card.securitySchemes === undefined ? [] : schemeFaults(card.securitySchemes)),
    ...objectsFault(card.signatures, 'signatures'),
    ...requirementFaults(card.securityRequirements, 'securityRequirements'),
  ];
}

function capabilityFaults(value: unknown): readonly Fault[] {
  if (!isJsonObject(value)) return [broken('capabilities', 'must be an object')];
  const { extensions } = value;
  const faults = objectsFault(extensions, 'capabilities.extensions');
  if (faults.length > 0 || !Array.isArray(extensions)) return faults;
  return extensions.flatMap((one: JsonObject, at) =>
    typeof one.uri === 'string' ? [] : [broken(`capabilities.extensions[${String(at)}].uri`, 'must be a string')],
  );
}

function requirementFaults(value: unknown, field: string): readonly Fault[] {
  const faults = objectsFault(value, field);
  if (faults.length > 0 || !Array.isArray(value)) return faults;
  return value.flatMap((one: JsonObject, at) => objectFault(one.schemes ?? {}, `${field}[${String(at)}].schemes`));
}

function interfaceFaults(value: unknown): readonly Fault[] {
  if (!Array.isArray(value) || value.length === 0)
    return [broken('supportedInterfaces', 'must be a list of at least one')];
  if (value.length > MOST_INTERFACES)
    return [broken('supportedInterfaces', `has more than ${String(MOST_INTERFACES)}`)];
  return value.flatMap((one: unknown, at) => {
    const field = `supportedInterfaces[${String(at)}]`;
    if (!isJsonObject(one)) return [broken(field, 'must be an object')];
    const { url, protocolBinding, protocolVersion, tenant } = one;
    const isUrl = typeof url === 'string' && URL.canParse(url);
    return [
      // gRPC interfaces are host and port without a scheme.
      ...(isUrl || (typeof url === 'string' && protocolBinding === 'GRPC')
        ? []
        : [broken(`${field}.url`, 'must be a URL')]),
      ...(typeof protocolBinding === 'string' ? [] : [broken(`${field}.protocolBinding`, 'must be a string')]),
      ...(protocolVersion === undefined ? [missing(`${field}.protocolVersion`)] : []),
      ...(protocolVersion === undefined || typeof protocolVersion === 'string'
        ? []
        : [broken(`${field}.protocolVersion`, 'must be a string')]),
      ...(tenant === undefined || tenant === null || typeof tenant === 'string'
        ? []
        : [broken(`${field}.tenant`, 'must be a string')]),
    ];
  });
}

function skillFaults(value: unknown): readonly Fault[] {
  if (value === undefined) return [missing('skills')];
  if (!Array.isArray(value)) return [broken('skills', 'must be a list')];
  if (value.length > MOST_SKILLS) return [broken('skills', `has more than ${String(MOST_SKILLS)}`)];
  return value.flatMap((skill: unknown, at) => {
    const field = `skills[${String(at)}]`;
    if (!isJsonObject(skill)) return [broken(field, 'must be an object')];
    const texts = ['id', 'name', 'description'].flatMap((name) =>
      textFault(skill, name, name === 'id').map((fault) => ({ ...fault, field: `${field}.${fault.field}` })),
    );
    const lists = ['examples', 'inputModes', 'outputModes'].flatMap((name) =>
      skill[name] === undefined || skill[name] === null ? [] : modesFault(skill[name], `${field}.${name}`),
    );
    return [
      ...texts,
      ...modesFault(skill.tags, `${field}.tags`),
      ...lists,
      ...requirementFaults(skill.securityRequirements, `${field}.securityRequirements`),
    ];
  });
}

function schemeFaults(value: unknown): readonly Fault[] {
  if (!isJsonObject(value)) return [broken('securitySchemes', 'must be an object')];
  return Object.entries(value).flatMap(([name, scheme]) => objectFault(scheme, `securitySchemes.${name}`));
}

function textFault(object: JsonObject, name: string, isNeeded: boolean): readonly Fault[] {
  const value = object[name];
  if (value === undefined) return isNeeded ? [broken(name, 'is missing')] : [missing(name)];
  if (typeof value !== 'string') return [broken(name, 'must be a string')];
  return value.length > MOST_TEXT ? [broken(name, `has more than ${String(MOST_TEXT)} characters`)] : [];
}

function modesFault(value: unknown, field: string): readonly Fault[] {
  if (value === undefined) return [missing(field)];
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string');
  return isList ? [] : [broken(field, 'must be a list of strings')];
}

function objectsFault(value: unknown, field: string): readonly Fault[] {
  if (value === undefined || value === null) return [];
  const isList = Array.isArray(value) && value.every(isJsonObject);
  return isList ? [] : [broken(field, 'must be a list of objects')];
}

function objectFault(value: unknown, field: string): readonly Fault[] {
  return isJsonObject(value) ? [] : [broken(field, 'must be an object')];
}

function broken(field: string, description: string): Fault {
  return { field, description, breaks: true };
}

function missing(field: string): Fault {
  return { field, description: 'is missing', breaks: false };
}
