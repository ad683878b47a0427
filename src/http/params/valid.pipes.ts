import type { PipeTransform, Type } from '@nestjs/common';
import { validParams } from '../../operations/executor/validate.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { jsonSchemaOf } from '@parley/sdk/skill/contract/json-schema.js';
import { formOf } from '@parley/sdk/skill/contract/rules/combined-schema.js';
import { readJson } from '../request/request-body.js';

/**
 * Converts a query to a DTO, validated like params of the protocol, so that the answer names each wrong field. Nest's
 * ValidationPipe has errors of its own.
 */
export class ValidQuery<T extends object> implements PipeTransform<unknown, Promise<T>> {
  constructor(readonly dto: Type<T>) {}

  transform(query: unknown): Promise<T> {
    return validParams(this.dto, query);
  }
}

/** The same for a body, received as bytes: the limits of JSON bodies apply. A null member is absent. */
export class ValidBody<T extends object> implements PipeTransform<unknown, Promise<T>> {
  private form: JsonObject | undefined;

  constructor(readonly dto: Type<T>) {}

  async transform(body: unknown): Promise<T> {
    this.form ??= formOf(jsonSchemaOf(this.dto));
    return validParams(this.dto, withoutNulls(readJson(body), this.form));
  }
}

/** As in ProtoJSON: `@IsOptional()` accepts null, which no handler expects. A member for any JSON keeps it. */
function withoutNulls(value: unknown, { properties, items }: JsonObject): unknown {
  if (Array.isArray(value) && isJsonObject(items)) return value.map((one: unknown) => withoutNulls(one, items));
  if (!isJsonObject(value) || !isJsonObject(properties)) return value;
  const members = Object.entries(value).flatMap(([name, one]) => {
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!isJsonObject(own) || Object.keys(own).length === 0) return [[name, one] as const];
    return one === null ? [] : [[name, withoutNulls(one, own)] as const];
  });
  return Object.fromEntries(members);
}
