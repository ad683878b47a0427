import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentHttp } from '@parley/client/http/agent-http.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { requestToken } from './oauth.js';
import { configFolder } from './settings.js';

/** A token of `auth login`: for one agent, from one issuer. */
export interface StoredToken {
  /** The origin that the token is sent to, and no other. */
  readonly agent: string;
  /** Where it came from, and where it is refreshed. */
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Ms since 1970; absent when the issuer does not state it. */
  readonly expiresAt?: number;
}

/** A token is refreshed this long before it expires. */
const EARLY_MS = 30_000;

/** Tokens in files of the configuration folder that only their owner can read (mode 0600), one for each agent. */
export class TokenFiles {
  private readonly folder: string;

  constructor(home?: string) {
    this.folder = join(configFolder(home), 'tokens');
  }

  async save(token: StoredToken): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const path = this.pathOf(token.agent);
    await writeFile(path, `${JSON.stringify(token, undefined, 2)}\n`, { mode: 0o600 });
    // An older file keeps its mode when it is written again.
    await chmod(path, 0o600);
  }

  /** The token for an origin, refreshed where it has ended; undefined when there is none that can be used. */
  async find(agent: string, http: AgentHttp): Promise<StoredToken | undefined> {
    const token = await this.read(this.pathOf(agent));
    if (token?.agent !== agent) return undefined;
    if (token.expiresAt === undefined || token.expiresAt - EARLY_MS > Date.now()) return token;
    if (token.refreshToken === undefined) return undefined;
    const form = { grant_type: 'refresh_token', refresh_token: token.refreshToken, client_id: token.clientId };
    const answer = await requestToken(http, token.tokenUrl, form);
    if (answer.kind !== 'token') return undefined;
    const renewed = { ...token, ...answer.token };
    await this.save(renewed);
    return renewed;
  }

  async list(): Promise<readonly StoredToken[]> {
    const names = await readdir(this.folder).catch(() => []);
    const tokens = await Promise.all(names.map((name) => this.read(join(this.folder, name))));
    return tokens.filter((token) => token !== undefined);
  }

  /** Returns whether there was one. */
  async remove(agent: string): Promise<boolean> {
    const path = this.pathOf(agent);
    const had = (await this.read(path)) !== undefined;
    await rm(path, { force: true });
    return had;
  }

  private pathOf(agent: string): string {
    return join(this.folder, `${createHash('sha256').update(agent).digest('hex').slice(0, 32)}.json`);
  }

  private async read(path: string): Promise<StoredToken | undefined> {
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text === undefined) return undefined;
    const value: unknown = JSON.parse(text);
    const isToken = isJsonObject(value) && typeof value.agent === 'string' && typeof value.accessToken === 'string';
    return isToken ? (value as unknown as StoredToken) : undefined;
  }
}
