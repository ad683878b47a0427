import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Message, Part } from '@parley/protocol/model/message.js';
import { jsonSchemaOf } from '@parley/sdk/skill/contract/json-schema.js';
import { acceptsPart } from '@parley/sdk/skill/content/media-type.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import { inputModesOf } from '../../../skill/skill.router.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';

/** Files per call. */
const MAX_FILES = 32;

const TEXT_SCHEMA = { type: 'string', description: 'The request, in words' };
const DATA_SCHEMA = { type: 'object', description: 'The request, as JSON' };
const FILES_SCHEMA = {
  type: 'array',
  description: 'Files to work on: bytes as base64, or an https address from which they are fetched',
  maxItems: MAX_FILES,
  items: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      mediaType: { type: 'string' },
      bytes: { type: 'string', contentEncoding: 'base64' },
      uri: { type: 'string', format: 'uri' },
    },
    additionalProperties: false,
  },
};

/** The input of a skill, as members of its tool's arguments. */
interface InputShape {
  /** The schema of its input class. */
  readonly contract: JsonObject | undefined;
  readonly data: boolean;
  readonly text: boolean;
  readonly files: boolean;
}

/** The input schema of a skill's tool (MCP-SRV-2): its contract, else by its media types. */
export function toolInputSchema(skill: SkillOptions): JsonObject {
  // The pinned schema of a foreign tool or agent, with its own keywords.
  if (skill.input !== undefined && typeof skill.input !== 'function' && !readsMore(skill)) return skill.input;
  const shape = shapeOf(skill);
  const { contract } = shape;
  const own = isJsonObject(contract?.properties) ? contract.properties : {};
  const added = {
    ...(shape.text && { text: TEXT_SCHEMA }),
    ...(contract === undefined && shape.data && { data: DATA_SCHEMA }),
    ...(shape.files && { files: FILES_SCHEMA }),
  };
  const names = Object.keys(added);
  const [only] = names;
  const needed =
    contract === undefined ? (only !== undefined && names.length === 1 ? [only] : []) : requiredOf(contract);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { ...added, ...own },
    ...(needed.length === 0 ? {} : { required: needed }),
    additionalProperties: false,
  };
}

/** Whether its arguments have members besides those of its contract. */
function readsMore(skill: SkillOptions): boolean {
  const { text, files } = shapeOf(skill);
  return text || files;
}

/** Arguments as the content of a message, or their faults, a line each. */
export type ToolContent = Pick<Message, 'parts' | 'metadata'> | { readonly faults: readonly string[] };

/**
 * The message content of a call: the contract's members are its data part, or `metadata.input` of a skill that reads no
 * JSON. The skill's own contract is checked after this, before any task exists.
 */
export function toolContent(skill: SkillOptions, given: JsonObject): ToolContent {
  const shape = shapeOf(skill);
  const { text, data, files, rest } = apart(given, shape);
  const faults = [
    ...(shape.text && text !== undefined && typeof text !== 'string' ? ['text: must be a string'] : []),
    ...(data !== undefined && !isJsonObject(data) ? ['data: must be an object'] : []),
    ...(files === undefined ? [] : filesFaults(files)),
    ...(shape.contract === undefined ? Object.keys(rest).map((name) => `${name}: is not a known field`) : []),
  ];
  if (faults.length > 0) return { faults };
  const parts: Part[] = [
    ...(shape.contract !== undefined && shape.data ? [dataPart(rest)] : isJsonObject(data) ? [dataPart(data)] : []),
    ...(typeof text === 'string' ? [{ text }] : []),
    ...filesOf(files),
  ];
  if (parts.length === 0) return { faults: [`one of these is needed: ${membersOf(shape).join(', ')}`] };
  return shape.contract === undefined || shape.data ? { parts } : { parts, metadata: { input: rest } };
}

/** The part of a violation's path inside the arguments: `message.parts[0].data.count` is `count`. */
export function argumentPath(field: string): string {
  return field.replace(/^message\.(parts\[\d+\]\.data|metadata\.input)\.?/, '');
}

function shapeOf(skill: SkillOptions): InputShape {
  const modes = inputModesOf(skill);
  const contract = skill.input === undefined ? undefined : jsonSchemaOf(skill.input);
  const own = isJsonObject(contract?.properties) ? contract.properties : {};
  const data = acceptsPart(modes, { data: {} });
  const isFile = (mode: string): boolean => !/^(text\/(plain|markdown)|application\/json)\b/.test(mode);
  return {
    contract,
    data,
    text: acceptsPart(modes, { text: '' }) && own.text === undefined,
    files: modes.some(isFile) && own.files === undefined,
  };
}

function membersOf({ text, data, files }: InputShape): readonly string[] {
  return [...(text ? ['text'] : []), ...(data ? ['data'] : []), ...(files ? ['files'] : [])];
}

function apart(
  given: JsonObject,
  shape: InputShape,
): { text?: unknown; data?: unknown; files?: unknown; rest: JsonObject } {
  const rest: Record<string, unknown> = { ...given };
  const take = (name: string, isOurs: boolean): unknown => {
    if (!isOurs) return undefined;
    const { [name]: value } = rest;
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- a copy of the arguments
    delete rest[name];
    return value;
  };
  const text = take('text', shape.text);
  const data = take('data', shape.contract === undefined && shape.data);
  const files = take('files', shape.files);
  return { text, data, files, rest };
}

function filesFaults(files: unknown): readonly string[] {
  if (!Array.isArray(files) || files.length > MAX_FILES) {
    return [`files: must be a list of at most ${String(MAX_FILES)} files`];
  }
  return files.flatMap((file: unknown, at) => {
    const isFile = isJsonObject(file) && (typeof file.bytes === 'string') !== (typeof file.uri === 'string');
    return isFile ? [] : [`files[${String(at)}]: must have either bytes or uri`];
  });
}

function filesOf(files: unknown): readonly Part[] {
  if (!Array.isArray(files)) return [];
  return files.filter(isJsonObject).map(({ name, mediaType, bytes, uri }) => ({
    ...(typeof bytes === 'string' ? { raw: bytes } : { url: String(uri) }),
    ...(typeof name === 'string' ? { filename: name } : {}),
    ...(typeof mediaType === 'string' ? { mediaType } : {}),
  }));
}

function dataPart(data: JsonObject): Part {
  return { data, mediaType: 'application/json' };
}

function requiredOf({ required }: JsonObject): readonly string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}
