import type { JsonObject } from '../model/json.js';
import { isJsonObject } from '../json/json-value.js';
import { TASKS_EXTENSION } from './revision.js';

/** Declared capabilities of a client that change how tasks are shown. */
export interface ShownCapabilities {
  /** Takes task handles (SEP-2663). */
  readonly tasks: boolean;
  /** Shows forms to its user. */
  readonly form: boolean;
  /** Opens addresses for its user. */
  readonly url: boolean;
}

/** All that a client has declared. */
export interface ClientCapabilities extends ShownCapabilities {
  readonly declared: JsonObject;
}

/** Reads declared capabilities. `elicitation: {}` is a client that shows forms, as before there were modes. */
export function clientCapabilities(declared: JsonObject): ClientCapabilities {
  const { elicitation, extensions } = declared;
  const asks = isJsonObject(elicitation) ? elicitation : undefined;
  return {
    tasks: isJsonObject(extensions) && isJsonObject(extensions[TASKS_EXTENSION]),
    form: asks !== undefined && (asks.form !== undefined || asks.url === undefined),
    url: asks?.url !== undefined,
    declared,
  };
}

/** The required capabilities that are not declared, in the same shape; undefined when all are. */
export function undeclared(required: JsonObject, declared: JsonObject): JsonObject | undefined {
  const missing = Object.entries(required).flatMap(([name, inner]) => {
    const own = declared[name];
    if (!isJsonObject(own)) return [[name, inner] as const];
    const below = isJsonObject(inner) ? undeclared(inner, own) : undefined;
    return below === undefined ? [] : [[name, below] as const];
  });
  return missing.length === 0 ? undefined : Object.fromEntries(missing);
}
