import type { JsonObject } from '@parley/protocol/model/json.js';
import type { SendMessageRequest } from '@parley/protocol/model/operations.js';
import { kindOf } from '../content/part-kind.js';
import type { Contract, SkillOptions } from '../skill.js';
import { checkContract, type Checked } from './dto-check.js';
import { turnContent } from '../content/turn-content.js';
import { jsonSchemaOf, membersOf } from './json-schema.js';

/** The part of a request that a skill's input is read from. */
export type InputCarrier = Pick<SendMessageRequest, 'message' | 'metadata'>;

interface Found {
  readonly json: unknown;
  /** Where it was found, as a path in the request; undefined when the request has nothing of the kind. */
  readonly path: string | undefined;
}

/**
 * Reads a skill's input from the request that begins a task, with defaults filled in; undefined for a skill without an
 * `input` class. It is the first data part; without one `metadata.input` of the message or of the request; without
 * those the members of the message's or the request's metadata that have the class's names. A required member `text` that
 * the input has not is the text of the message.
 */
export async function readInput(skill: SkillOptions, request: InputCarrier): Promise<Checked<object | undefined>> {
  if (skill.input === undefined) {
    return { kind: 'fits', value: undefined };
  }
  const { json: found, path } = findInput(skill.input, request);
  const json = withText(skill.input, found, request);
  const checked = await checkContract(skill.input, json, path ?? '');
  if (checked.kind === 'fits' || path !== undefined) {
    return checked;
  }
  const isText = needsText(skill.input);
  const violations = checked.violations.map(({ field, description }) => {
    const name = field.replace(/^\./, '');
    const needed =
      isText && name === 'text' ? 'a text part, or a data part with "text", is needed' : 'a data part is needed';
    return { field: 'message.parts', description: `${needed}: ${name}: ${description}` };
  });
  return { kind: 'violations', violations };
}

function withText(dto: Contract, json: unknown, { message }: InputCarrier): unknown {
  if (
    !needsText(dto) ||
    typeof json !== 'object' ||
    json === null ||
    Array.isArray(json) ||
    Object.hasOwn(json, 'text')
  )
    return json;
  const { text } = turnContent([message]);
  return text === '' ? json : { ...json, text };
}

function needsText(dto: Contract): boolean {
  return jsonSchemaOf(dto).required?.includes('text') === true;
}

function findInput(dto: Contract, { message, metadata }: InputCarrier): Found {
  const index = message.parts.findIndex((part) => kindOf(part) === 'data');
  const part = message.parts[index];
  if (part !== undefined && 'data' in part) {
    return { json: part.data, path: `message.parts[${index}].data` };
  }
  const carriers = [
    { values: message.metadata ?? {}, path: 'message.metadata' },
    { values: metadata ?? {}, path: 'metadata' },
  ];
  const whole = carriers.find(({ values }) => values.input !== undefined);
  if (whole !== undefined) {
    return { json: whole.values.input, path: `${whole.path}.input` };
  }
  const names = membersOf(dto);
  const scattered = carriers.find(({ values }) => names.some((name) => values[name] !== undefined));
  return scattered === undefined
    ? { json: {}, path: undefined }
    : { json: picked(scattered.values, names), path: scattered.path };
}

function picked(values: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.filter((name) => values[name] !== undefined).map((name) => [name, values[name]]));
}
