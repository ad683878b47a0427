import type { JsonObject } from '../model/json.js';
import { isJsonObject } from '../json/json-value.js';
import { toStandardBase64 } from '../json/standard-base64.js';
import { EMPTY_LIST, type Field, type FieldShape, type MessageShape } from './proto-shapes.js';

/**
 * Brings all forms that a ProtoJSON parser accepts into the one form that the validators know: snake_case names
 * (A2A-JSON-01), enum numbers (-02), null and proto3 defaults as unset (-07), base64 of any kind (-08). Unknown fields
 * and wrong types pass untouched (-04): judging them is the validators' work.
 */
export function normaliseMessage(shape: MessageShape, value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const normalised: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    const name = fieldName(shape, key);
    const field = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined;
    if (name !== key && value[name] !== undefined && value[name] !== null) continue;
    if (member === null && (field?.shape !== 'value' || hasContent(value))) continue;
    const read = field === undefined ? member : normaliseField(field.shape, member);
    if (field === undefined || !isUnset(field, read)) normalised[name] = read;
  }
  return normalised;
}

/** Whether a part has another content than data: a null beside it is how some writers print an absent member. */
function hasContent({ text, raw, url }: JsonObject): boolean {
  return [text, raw, url].some((content) => content !== undefined && content !== null);
}

/** Whether a value is the default that some writers emit for an absent field, such as `"contextId": ""`. */
function isUnset({ shape, unset }: Field, value: unknown): boolean {
  if (unset === undefined) return false;
  if (Array.isArray(value)) return unset === EMPTY_LIST && value.length === 0;
  return value === unset || (value === '' && typeof shape === 'object' && 'names' in shape);
}

/** The JSON name of a field that may be written in its proto name; other keys are unchanged. */
function fieldName(shape: MessageShape, key: string): string {
  if (!key.includes('_')) return key;
  const camel = key.replace(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
  return Object.hasOwn(shape.fields, camel) ? camel : key;
}

function normaliseField(field: FieldShape, value: unknown): unknown {
  if (field === 'plain' || field === 'struct' || field === 'value') return value;
  if (field === 'int') return typeof value === 'string' && /^-?\d{1,10}$/.test(value) ? Number(value) : value;
  if (field === 'bytes') return typeof value === 'string' ? toStandardBase64(value) : value;
  if ('names' in field) return typeof value === 'number' ? (field.names[value] ?? value) : value;
  if (Array.isArray(value)) return value.map((entry: unknown) => normaliseMessage(field, entry));
  return normaliseMessage(field, value);
}
