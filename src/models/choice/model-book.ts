import { readFile } from 'node:fs/promises';
import { Logger } from '@nestjs/common';
import type { ModelPort } from '@parley/sdk/model/model.port.js';
import { LiveSecret } from '../../platform/config/variables/live-secret.js';
import { processVariables } from '../../platform/config/variables/process-variables.js';
import { WatchedFile } from '../../platform/config/watched-file.js';
import {
  isKey,
  type KeySource,
  type ModelsFile,
  readModelsFile,
  type RoleEntry,
  type TenantRules,
} from '../file/models-file.js';
import { ProviderPorts } from '../providers/provider-ports.js';

/** The models of a start, and the file that they are from. */
export interface BookSource {
  readonly file: ModelsFile;
  /** Absent: variables, which do not change. */
  readonly path?: string;
  readonly pollEveryMs?: number;
}

const NO_RULES: TenantRules = { keys: new Map(), daily: new Map(), weight: 1 };
/** Rules of tenants that the file does not name. */
const OTHERS = '*';

/** A model at an account: its provider's, or one that a tenant has there. */
export interface AccountPort {
  readonly account: string;
  readonly port: ModelPort;
}

/** The models in force, with their keys and connections. A changed file is read again; if it is invalid, the previous one stays. */
export class ModelBook {
  private readonly log = new Logger('Models');
  private readonly providers = new ProviderPorts();
  private readonly ports = new WeakMap<RoleEntry, Map<string, ModelPort>>();
  private watched: WatchedFile | undefined;
  private file: ModelsFile;

  constructor(private readonly source: BookSource) {
    this.file = source.file;
  }

  get current(): ModelsFile {
    return this.file;
  }

  /** Follows the file from now on. */
  watch(): void {
    const { path, pollEveryMs } = this.source;
    if (path === undefined) return;
    const refused = (reason: string): void => {
      this.log.error({ event: 'models.refused', file: path, reason: `the models before stay: ${reason}` });
    };
    this.watched = new WatchedFile(path, { read: (changed) => this.reload(changed), refused }, pollEveryMs);
  }

  async close(): Promise<void> {
    this.watched?.close();
    await this.providers.close();
  }

  /** The names of the accounts that are not those of one tenant. */
  get accounts(): readonly string[] {
    return [...new Set([...this.file.models.values()].map(({ provider }) => provider.name))];
  }

  rulesOf(tenant: string): TenantRules {
    const { tenants } = this.file;
    return tenants.get(tenant) ?? tenants.get(OTHERS) ?? NO_RULES;
  }

  /** The model of a role as a tenant calls it. */
  portOf(entry: RoleEntry, tenant: string, { keys }: TenantRules): AccountPort {
    const { provider } = entry;
    const own = keys.get(provider.name);
    const account = own === undefined ? provider.name : `${provider.name}@${tenant}`;
    const ports = this.ports.get(entry) ?? new Map<string, ModelPort>();
    this.ports.set(entry, ports);
    const port = ports.get(account) ?? this.providers.portOf(entry, this.keyOf(account, own ?? provider.key));
    ports.set(account, port);
    return { account, port };
  }

  /** The present key of an account. */
  private keyOf(account: string, source: KeySource | undefined): (() => string) | undefined {
    if (source === undefined) return undefined;
    const secret = new LiveSecret({ name: `key of ${account}`, ...source, parse: checkedKey });
    return () => secret.current;
  }

  private async reload(path: string): Promise<void> {
    this.file = readModelsFile(await readFile(path, 'utf8'), processVariables());
    this.log.log({ event: 'models.reloaded', file: path, models: [...this.file.models.keys()] });
  }
}

/** @throws Error without anything of the key */
function checkedKey(text: string): string {
  if (!isKey(text)) throw new Error('it is not one line of printable characters');
  return text;
}
