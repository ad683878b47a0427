import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { FieldViolation } from '@parley/protocol/model/errors.js';

/** Bounds of a schema: bytes as JSON, and levels. */
const MAX_SCHEMA_BYTES = 16 * 1024;
const MAX_SCHEMA_DEPTH = 16;
/** Levels of an answer. */
const MAX_ANSWER_DEPTH = 32;
/** Compiled schemas that a process keeps. */
const MAX_COMPILED = 200;
/** Faults reported for one answer. */
const MAX_FAULTS = 10;

/** No schema is loaded from elsewhere, and unknown keywords are errors. */
const ajv = new Ajv2020({
  strict: true,
  allErrors: true,
  allowUnionTypes: true,
  validateFormats: false,
  addUsedSchema: false,
});
const compiled = new Map<string, ValidateFunction>();

/** @throws RangeError for a schema that is too large; the error of ajv for one that is none */
export function checkSchema(schema: JsonObject): void {
  validatorOf(schema);
}

/** Faults of a value against a schema; empty when it fits. */
export function misfits(schema: JsonObject, value: unknown): readonly FieldViolation[] {
  if (!isWithinDepth(value, MAX_ANSWER_DEPTH)) {
    return [{ field: 'answer', description: `has more than ${String(MAX_ANSWER_DEPTH)} levels` }];
  }
  const validate = validatorOf(schema);
  return validate(value) ? [] : (validate.errors ?? []).slice(0, MAX_FAULTS).map(violationOf);
}

function validatorOf(schema: JsonObject): ValidateFunction {
  const text = JSON.stringify(schema);
  const known = compiled.get(text);
  if (known !== undefined) return known;
  if (Buffer.byteLength(text) > MAX_SCHEMA_BYTES) {
    throw new RangeError(`The schema of an answer has at most ${String(MAX_SCHEMA_BYTES / 1024)} KiB`);
  }
  if (!isWithinDepth(schema, MAX_SCHEMA_DEPTH)) {
    throw new RangeError(`The schema of an answer has at most ${String(MAX_SCHEMA_DEPTH)} levels`);
  }
  const validate = ajv.compile(schema);
  // ajv caches compiled schemas; here the oldest is dropped.
  ajv.removeSchema(schema);
  const [oldest] = compiled.keys();
  if (compiled.size >= MAX_COMPILED && oldest !== undefined) compiled.delete(oldest);
  compiled.set(text, validate);
  return validate;
}

function violationOf({ instancePath, message = 'does not fit', params }: ErrorObject): FieldViolation {
  const field = `answer${instancePath.replaceAll('/', '.')}`;
  const allowed: unknown = Reflect.get(params, 'allowedValues');
  const values = Array.isArray(allowed) ? `: ${allowed.map((value) => JSON.stringify(value)).join(', ')}` : '';
  return { field, description: message + values };
}

function isWithinDepth(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => isWithinDepth(member, levels - 1));
}
