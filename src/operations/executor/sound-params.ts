import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { ClassConstructor } from 'class-transformer';
import { isBase64 } from '@parley/protocol/json/base64.js';
import { readTimestamp } from '@parley/protocol/model/timestamp.js';
import { jsonSchemaOf } from '@parley/sdk/skill/contract/json-schema.js';

/** The formats that the DTO classes of operations declare. */
const formats = { byte: isBase64, 'date-time': (text: string) => readTimestamp(text) !== undefined };

// The schemas are our own: validating them would compile the meta-schema first.
const ajv = new Ajv2020({ allowUnionTypes: true, messages: false, validateSchema: false, formats });

const CHECKS = new Map<ClassConstructor<object>, ValidateFunction>();

/**
 * Whether input equals the params of an operation as class-validator would return them. Its check is compiled at the
 * first call from the schema of the class in OpenAPI, and accepts nothing that class-validator refuses or changes.
 */
export function isSound<T extends object>(dto: ClassConstructor<T>, input: unknown): input is T {
  let check = CHECKS.get(dto);
  if (check === undefined) {
    check = ajv.compile(jsonSchemaOf(dto));
    CHECKS.set(dto, check);
  }
  return check(input);
}
