/** Checks an agent card of any version against the rules of A2A 1.0. Pure: used by the service, the command line and the console. */
import type { JsonObject } from '../model/json.js';
import { isJsonObject } from '../json/json-value.js';
import { cardFromV03 } from './card-from-v0-3.js';
import { type CardFinding, finding } from './card-finding.js';
import { signatureFindings } from './check-signatures.js';

/** A finding, and whether this client cannot use such a card. */
export interface CardFault extends CardFinding {
  readonly breaks: boolean;
}

const MAX_INTERFACES = 50;
const MAX_SKILLS = 1000;
const MAX_TEXT = 20_000;

/** Paths that clients add to the address of an interface, or at which its card is. */
const OPERATION_PATH =
  /\/(message(:|%3A|\/)(send|stream)|v1\/(message|tasks|card)(:\w+)?|extendedAgentCard|\.well-known\/agent(-card)?\.json)\/?$/i;

const SHAPE = 'A2A-CARD-01';
const INTERFACES = 'A2A-VER-02';

/** All that is found in a card. */
export function checkCard(value: unknown): readonly CardFinding[] {
  return cardFaults(value).map(({ severity, rule, field, description }) => finding(severity, rule, field, description));
}

/** Headers that the answer with a card lacks (A2A-CARD-02). @param headers lower-case names */
export function checkCardHeaders(headers: Readonly<Record<string, string>>): readonly CardFinding[] {
  const hasAge = /max-age=\d/.test(headers['cache-control'] ?? '');
  return [
    ...(hasAge ? [] : [finding('warning', 'A2A-CARD-02', 'Cache-Control', 'of the answer has no max-age')]),
    ...(headers.etag === undefined ? [finding('warning', 'A2A-CARD-02', 'ETag', 'of the answer is missing')] : []),
  ];
}

/** The same as `checkCard`, for readers of the card. */
export function cardFaults(value: unknown): readonly CardFault[] {
  const card = cardFromV03(value);
  if (!isJsonObject(card)) return [broken('card', 'must be an object')];
  return [
    ...['name', 'description', 'version'].flatMap((name) => textFault(card, name, name === 'name')),
    ...interfaceFaults(card.supportedInterfaces),
    ...capabilityFaults(card.capabilities),
    ...['defaultInputModes', 'defaultOutputModes'].flatMap((name) => modesFault(card[name], name)),
    ...skillFaults(card.skills, card.securitySchemes),
    ...schemeFaults(card.securitySchemes),
    ...requirementFaults(card, '', 'A2A-AUTHN-04', card.securitySchemes),
    ...signatureFaults(card.signatures),
  ];
}

function interfaceFaults(value: unknown): readonly CardFault[] {
  if (!Array.isArray(value) || value.length === 0)
    return [broken('supportedInterfaces', 'must be a list of at least one', INTERFACES)];
  if (value.length > MAX_INTERFACES)
    return [broken('supportedInterfaces', `has more than ${String(MAX_INTERFACES)}`, INTERFACES)];
  return value.flatMap((one: unknown, at) => {
    const field = `supportedInterfaces[${String(at)}]`;
    if (!isJsonObject(one)) return [broken(field, 'must be an object', INTERFACES)];
    const { url, protocolBinding, tenant } = one;
    const isUrl = typeof url === 'string' && URL.canParse(url);
    return [
      // gRPC interfaces are host and port without a scheme.
      ...(isUrl || (typeof url === 'string' && protocolBinding === 'GRPC')
        ? []
        : [broken(`${field}.url`, 'must be a URL', INTERFACES)]),
      ...(isUrl && isOpenHttp(new URL(url))
        ? [found('warning', 'A2A-AUTHN-01', `${field}.url`, 'is not encrypted: production must use TLS')]
        : []),
      ...(isUrl && OPERATION_PATH.test(new URL(url).pathname)
        ? [found('warning', INTERFACES, `${field}.url`, 'ends with the path of an operation, which clients add to it')]
        : []),
      ...(typeof protocolBinding === 'string'
        ? []
        : [broken(`${field}.protocolBinding`, 'must be a string', INTERFACES)]),
      ...versionFaults(one.protocolVersion, `${field}.protocolVersion`),
      ...(tenant === undefined || tenant === null || typeof tenant === 'string'
        ? []
        : [broken(`${field}.tenant`, 'must be a string', 'A2A-TEN-01')]),
    ];
  });
}

function versionFaults(value: unknown, field: string): readonly CardFault[] {
  if (value === undefined) return [missing(field, INTERFACES)];
  if (typeof value !== 'string') return [broken(field, 'must be a string', INTERFACES)];
  if (!/^\d+\.\d+\.\d+/.test(value)) return [];
  return [found('warning', 'A2A-VER-01', field, 'has a patch number: major and minor are enough')];
}

function capabilityFaults(value: unknown): readonly CardFault[] {
  if (value === undefined) return [missing('capabilities')];
  if (!isJsonObject(value)) return [broken('capabilities', 'must be an object')];
  const { extensions } = value;
  const field = 'capabilities.extensions';
  const faults = objectsFault(extensions, field, 'A2A-EXT-01');
  if (faults.length > 0 || !Array.isArray(extensions)) return faults;
  return extensions.flatMap((one: JsonObject, at) => {
    const path = `${field}[${String(at)}]`;
    if (typeof one.uri !== 'string') return [broken(`${path}.uri`, 'must be a string', 'A2A-EXT-01')];
    if (one.required !== true) return [];
    return [found('note', 'A2A-EXT-03', path, 'is required: calls that do not ask for it are refused')];
  });
}

function skillFaults(value: unknown, schemes: unknown): readonly CardFault[] {
  if (value === undefined) return [missing('skills')];
  if (!Array.isArray(value)) return [broken('skills', 'must be a list')];
  if (value.length > MAX_SKILLS) return [broken('skills', `has more than ${String(MAX_SKILLS)}`)];
  const known = new Set<unknown>();
  return value.flatMap((skill: unknown, at) => {
    const field = `skills[${String(at)}]`;
    if (!isJsonObject(skill)) return [broken(field, 'must be an object')];
    const texts = ['id', 'name', 'description'].flatMap((name) =>
      textFault(skill, name, name === 'id').map((fault) => ({ ...fault, field: `${field}.${fault.field}` })),
    );
    const lists = ['examples', 'inputModes', 'outputModes'].flatMap((name) =>
      skill[name] === undefined || skill[name] === null ? [] : modesFault(skill[name], `${field}.${name}`),
    );
    const isKnown = typeof skill.id === 'string' && known.has(skill.id);
    known.add(skill.id);
    return [
      ...texts,
      ...(isKnown ? [found('error', SHAPE, `${field}.id`, 'is that of another skill')] : []),
      ...modesFault(skill.tags, `${field}.tags`),
      ...lists,
      ...requirementFaults(skill, `${field}.`, 'A2A-AUTHZ-03', schemes),
    ];
  });
}

/** A kind of 1.0, or the member of servers of @a2a-js/sdk 1.3; `scheme` of 0.3 is a text. */
function isKind(member: string, value: unknown): boolean {
  return member.endsWith('SecurityScheme') || (member === 'scheme' && typeof value !== 'string');
}

function schemeFaults(value: unknown): readonly CardFault[] {
  if (value === undefined || (isJsonObject(value) && Object.keys(value).length === 0))
    return [found('note', 'A2A-AUTHN-02', 'securitySchemes', 'are none: the agent asks no caller for a credential')];
  if (!isJsonObject(value)) return [broken('securitySchemes', 'must be an object')];
  return Object.entries(value).flatMap(([name, scheme]) => {
    const field = `securitySchemes.${name}`;
    if (!isJsonObject(scheme)) return [broken(field, 'must be an object')];
    // One member for the kind, and its own members; a card for readers of all versions has those of 0.3 beside it.
    return Object.entries(scheme).flatMap(([kind, own]) => {
      if (own === null || !isKind(kind, own)) return [];
      if (!isJsonObject(own)) return [broken(`${field}.${kind}`, 'must be an object')];
      const { scheme: name = '' } = own;
      return isJsonObject(own.value) || typeof name === 'string' || name === null
        ? []
        : [broken(`${field}.${kind}.scheme`, 'must be a string')];
    });
  });
}

/** Requirements may only name schemes that the card declares. */
function requirementFaults(
  { securityRequirements: value }: JsonObject,
  at: string,
  rule: string,
  declared: unknown,
): readonly CardFault[] {
  const field = `${at}securityRequirements`;
  const faults = objectsFault(value, field, rule);
  if (faults.length > 0 || !Array.isArray(value)) return faults;
  const wrong = value.findIndex((one: JsonObject) => !isJsonObject(one.schemes ?? {}));
  if (wrong !== -1) return [broken(`${field}[${String(wrong)}].schemes`, 'must be an object', rule)];
  const scopes = value.flatMap((one: JsonObject) => Object.entries(one.schemes ?? {}));
  const odd = scopes.find(([, own]) => !isScopeList(own));
  if (odd !== undefined) return [broken(`${field}.${odd[0]}`, 'must be an object with a list of strings', rule)];
  const names = scopes.map(([name]) => name);
  const unknown = [...new Set(names)].filter((name) => !isJsonObject(declared) || !Object.hasOwn(declared, name));
  return unknown.map((name) => found('error', rule, field, `name the scheme ${name}, which is not declared`));
}

function isScopeList(value: unknown): boolean {
  if (value === null) return true;
  const list: unknown = isJsonObject(value) ? (value.list ?? []) : undefined;
  return Array.isArray(list) && list.every((one) => typeof one === 'string');
}

function signatureFaults(value: unknown): readonly CardFault[] {
  const faults = objectsFault(value, 'signatures', 'A2A-SIGN-03');
  if (faults.length > 0 || !Array.isArray(value)) return faults;
  return signatureFindings(value).map((finding) => ({ ...finding, breaks: false }));
}

function textFault(object: JsonObject, name: string, isNeeded: boolean): readonly CardFault[] {
  const value = object[name];
  if (value === undefined) return isNeeded ? [broken(name, 'is missing')] : [missing(name)];
  if (typeof value !== 'string') return [broken(name, 'must be a string')];
  if (value === '') return [found('warning', SHAPE, name, 'is empty')];
  return value.length > MAX_TEXT ? [broken(name, `has more than ${String(MAX_TEXT)} characters`)] : [];
}

function modesFault(value: unknown, field: string): readonly CardFault[] {
  if (value === undefined) return [missing(field)];
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string');
  return isList ? [] : [broken(field, 'must be a list of strings')];
}

function objectsFault(value: unknown, field: string, rule: string): readonly CardFault[] {
  if (value === undefined || value === null) return [];
  const isList = Array.isArray(value) && value.every(isJsonObject);
  return isList ? [] : [broken(field, 'must be a list of objects', rule)];
}

/** Plain HTTP to another machine. */
function isOpenHttp({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

function broken(field: string, description: string, rule = SHAPE): CardFault {
  return { ...finding('error', rule, field, description), breaks: true };
}

function missing(field: string, rule = SHAPE): CardFault {
  return found('error', rule, field, 'is missing');
}

function found(severity: CardFinding['severity'], rule: string, field: string, description: string): CardFault {
  return { ...finding(severity, rule, field, description), breaks: false };
}
