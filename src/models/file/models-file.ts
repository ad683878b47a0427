import { readFileSync } from 'node:fs';
import type { ClassConstructor } from 'class-transformer';
import { readDto, readFileDto } from '@parley/sdk/validation/read-file-dto.js';
import type { Variables } from '../../platform/config/variables/secret-files.js';
import { DailyDto, KeyDto, ModelDto, ModelsFileDto, NAME, ProviderDto, TenantDto } from './models-file.dto.js';

/** Where a key comes from, with its text at the start. */
export interface KeySource {
  readonly text: string;
  /** Absent: a variable, which does not change. */
  readonly file?: string | undefined;
}

/** An account at a provider. */
export interface Provider extends Omit<ProviderDto, 'key'> {
  readonly name: string;
  readonly key?: KeySource;
}

/** A model of a role. */
export interface RoleEntry extends Omit<ModelDto, 'provider'> {
  readonly name: string;
  readonly provider: Provider;
}

/** Rules of a tenant. */
export interface TenantRules extends Omit<TenantDto, 'keys' | 'daily'> {
  readonly keys: ReadonlyMap<string, KeySource>;
  /** Cost of a day by model. */
  readonly daily: ReadonlyMap<string, number>;
}

/** The models of the service, by role. */
export interface ModelsFile {
  readonly models: ReadonlyMap<string, RoleEntry>;
  readonly default: RoleEntry;
  readonly tenants: ReadonlyMap<string, TenantRules>;
  /** The model of any other name, where all names are models of one provider: MODEL_URL. */
  readonly open?: (name: string) => RoleEntry;
}

/** Reads MODELS_FILE. @throws Error with a line per fault, without any key */
export function readModelsFile(text: string, variables: Variables): ModelsFile {
  const { default: standard, ...file } = readFileDto(ModelsFileDto, text);
  const faults: string[] = [];
  const providers = entriesOf(file.providers, 'providers', ProviderDto, faults);
  const models = entriesOf(file.models, 'models', ModelDto, faults);
  const accounts = new Map(
    [...providers].map(([name, dto]) => [name, providerOf(name, dto, { variables, faults })] as const),
  );
  const roles = new Map<string, RoleEntry>();
  for (const [name, { provider, ...model }] of models) {
    const account = accounts.get(provider);
    if (account === undefined) faults.push(`models.${name}.provider: there is no provider "${provider}"`);
    else roles.set(name, { ...model, name, provider: account });
    const path = `models.${name}.fallback`;
    if (model.fallback?.includes(name) === true) faults.push(`${path}: a model is no fallback of its own`);
    unknownIn(model.fallback, models, (other) => faults.push(`${path}: there is no model "${other}"`));
  }
  const tenants = tenantsOf(file, { accounts, models, variables, faults });
  const first = standard ?? (models.size === 1 ? [...models.keys()][0] : undefined);
  if (first === undefined) faults.push('default: must name one of several models');
  else if (!models.has(first)) faults.push(`default: there is no model "${first}"`);
  const found = first === undefined ? undefined : roles.get(first);
  if (faults.length > 0 || found === undefined) throw new Error(faults.join('\n'));
  return { models: roles, default: found, tenants };
}

/** Each entry with its position in the file; those with faults are left out. */
function entriesOf<T extends object>(
  values: Readonly<Record<string, unknown>>,
  path: string,
  type: ClassConstructor<T>,
  faults: string[],
): ReadonlyMap<string, T> {
  const entries = new Map<string, T>();
  const isNamed = path !== 'tenants';
  for (const [name, value] of Object.entries(values)) {
    if (isNamed && !NAME.test(name)) {
      faults.push(`${path}.${name}: the name must be a lower case letter, then letters, digits, ".", "_" or "-"`);
      continue;
    }
    const entry = read(type, value, `${path}.${name}`, faults);
    if (entry !== undefined) entries.set(name, entry);
  }
  return entries;
}

function read<T extends object>(
  type: ClassConstructor<T>,
  value: unknown,
  path: string,
  faults: string[],
): T | undefined {
  try {
    return readDto(type, value, path);
  } catch (error) {
    faults.push(error instanceof Error ? error.message.replaceAll('; ', '\n') : String(error));
    return undefined;
  }
}

interface Reading {
  readonly variables: Variables;
  readonly faults: string[];
}

function providerOf(name: string, { key, ...dto }: ProviderDto, reading: Reading): Provider {
  const path = `providers.${name}`;
  if (dto.type === 'openai-compatible' && dto.url === undefined) reading.faults.push(`${path}.url: is missing`);
  if (dto.type === 'bedrock' && dto.awsRegion === undefined) reading.faults.push(`${path}.awsRegion: is missing`);
  if (dto.type !== 'openai-compatible' && key === undefined) reading.faults.push(`${path}.key: is missing`);
  const source = key === undefined ? undefined : keyOf(key, `${path}.key`, reading);
  return { ...dto, name, ...(source === undefined ? {} : { key: source }) };
}

function keyOf(reference: string, path: string, { variables, faults }: Reading): KeySource | undefined {
  const [, kind = '', name = ''] = /^(env|file):(.*)$/s.exec(reference) ?? [];
  try {
    const text = kind === 'file' ? readFileSync(name, 'utf8').replace(/\r?\n$/, '') : (variables[name] ?? '');
    if (text === '') faults.push(`${path}: ${reference} is ${kind === 'file' ? 'empty' : 'not set'}`);
    else if (!isKey(text)) faults.push(`${path}: ${reference} is not one line of printable characters`);
    else return kind === 'file' ? { text, file: name } : { text };
  } catch (error) {
    faults.push(`${path}: ${reference} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  return undefined;
}

/** Whether a text may be a header. */
export function isKey(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

interface KnownNames extends Reading {
  readonly accounts: ReadonlyMap<string, Provider>;
  readonly models: ReadonlyMap<string, ModelDto>;
}

function tenantsOf(file: Pick<ModelsFileDto, 'tenants'>, known: KnownNames): ReadonlyMap<string, TenantRules> {
  const tenants = new Map<string, TenantRules>();
  for (const [tenant, dto] of entriesOf(file.tenants ?? {}, 'tenants', TenantDto, known.faults)) {
    const { keys = {}, daily = {}, ...rules } = dto;
    const path = `tenants.${tenant}`;
    const regions = new Set([...known.accounts.values()].map(({ region }) => region));
    const fault = (member: string, what: string) => (name: string) =>
      known.faults.push(`${path}.${member}: there is no ${what} "${name}"`);
    unknownIn(rules.models, known.models, fault('models', 'model'));
    unknownIn(rules.regions, regions, fault('regions', 'provider in region'));
    unknownIn(Object.keys(keys), known.accounts, fault('keys', 'provider'));
    unknownIn(Object.keys(daily), known.models, fault('daily', 'model'));
    const ownKeys = Object.entries(keys).flatMap(([provider, key]) => {
      const at = `${path}.keys.${provider}`;
      const dto = read(KeyDto, { key }, at, known.faults);
      const source = dto === undefined ? undefined : keyOf(dto.key, at, known);
      return source === undefined ? [] : [[provider, source] as const];
    });
    const costs = Object.entries(daily).flatMap(([model, value]) => {
      const found = read(DailyDto, value, `${path}.daily.${model}`, known.faults);
      return found === undefined ? [] : [[model, found.cost] as const];
    });
    tenants.set(tenant, { ...rules, keys: new Map(ownKeys), daily: new Map(costs) });
  }
  return tenants;
}

function unknownIn(
  names: readonly string[] | undefined,
  known: { has(name: string): boolean },
  report: (name: string) => unknown,
): void {
  for (const name of names ?? []) if (!known.has(name)) report(name);
}
