import type { INestApplicationContext } from '@nestjs/common';
import { printableJson } from '@parley/protocol/json/printable.js';
import { checkName } from '@parley/sdk/skill/shared/scope.js';
import { OperatorValueRefused, OperatorValues } from '../../tasks/values/operator-values.store.js';
import { OperatorError } from './operator-error.js';
import { type Output, table } from './output.js';

/** A value of a tenant. */
export interface NamedValue {
  readonly tenant: string;
  readonly name: string;
}

/** The values that the skills of a tenant read as `app:<name>`. */
export async function listValues(service: INestApplicationContext, tenant: string): Promise<Output> {
  const values = await service.get(OperatorValues, { strict: false }).list(tenant);
  const rows = values.map(([name, value]) => [name, printableJson(value)]);
  return { json: { tenant, values: Object.fromEntries(values) }, text: table(['name', 'value'], rows, 'No values.') };
}

export async function setValue(
  service: INestApplicationContext,
  { tenant, name, json }: NamedValue & { readonly json: string },
): Promise<Output> {
  if (!isName(name)) throw new OperatorError(`${name} is no name: it has 1 to 256 characters without ":".`);
  const value = valueOf(json);
  try {
    await service.get(OperatorValues, { strict: false }).set(tenant, name, value);
  } catch (error) {
    if (error instanceof OperatorValueRefused) throw new OperatorError(error.message);
    throw error;
  }
  return { json: { tenant, name, value }, text: `Skills of "${tenant}" read "app:${name}" as ${json}.` };
}

export async function removeValue(service: INestApplicationContext, { tenant, name }: NamedValue): Promise<Output> {
  const removed = await service.get(OperatorValues, { strict: false }).remove(tenant, name);
  return { json: { tenant, name, removed }, text: removed ? `Removed "app:${name}".` : `There is no "app:${name}".` };
}

function isName(name: string): boolean {
  try {
    checkName('app', name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function valueOf(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    throw new OperatorError(`${json} is no JSON; a text has quotes: '"text"'.`);
  }
}
