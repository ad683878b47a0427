import {
  type DescField,
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonValue,
  type Registry,
} from '@bufbuild/protobuf';
import { isJsonObject } from '@parley/protocol/json/json-value.js';

/**
 * The members of a message that match its descriptor. Data stored by an earlier version may have an array, a null or a
 * number instead of an object (B3): those are dropped, since a whole list of tasks must not fail because of one.
 */
export function fitted(message: DescMessage, json: JsonValue, registry: Registry): JsonObject {
  const kept: Record<string, JsonValue> = {};
  const choices = new Set<string>();
  for (const [name, value] of Object.entries<JsonValue>(isJsonObject(json) ? json : {})) {
    const field = message.fields.find((one) => one.jsonName === name || one.name === name);
    const choice = field?.oneof?.name;
    if (choice !== undefined && choices.has(choice)) continue;
    const fits = (form: JsonValue): boolean => fitsIn(message, { [name]: form }, registry);
    const form = fits(value) ? value : withoutMisfits(field, value, registry);
    if (form === undefined || !fits(form)) continue;
    if (choice !== undefined) choices.add(choice);
    kept[name] = form;
  }
  return kept;
}

function withoutMisfits(field: DescField | undefined, value: JsonValue, registry: Registry): JsonValue | undefined {
  if (field?.message === undefined) return undefined;
  const { message } = field;
  if (field.fieldKind !== 'list') return fitted(message, value, registry);
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((item) => {
    if (fitsIn(message, item, registry)) return [item];
    const own = fitted(message, item, registry);
    return Object.keys(own).length === 0 ? [] : [own];
  });
}

function fitsIn(message: DescMessage, json: JsonValue, registry: Registry): boolean {
  try {
    fromJson(message, json, { registry, ignoreUnknownFields: true });
    return true;
  } catch {
    return false;
  }
}
