import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AgentCard, SecurityScheme } from '@parley/protocol/model/agent-card.js';
import { AgentClient } from '@parley/client/call/agent-client.js';
import {
  type AgentAuth,
  apiKeyCredential,
  bearerCredential,
  type Credential,
  fixedAuth,
  NO_AUTH,
} from '@parley/client/http/agent-auth.js';
import type { AgentHttp } from '@parley/client/http/agent-http.js';
import { cardUrls } from '@parley/client/card/card-reference.js';
import { chooseEndpoint, endpointOf } from '@parley/client/call/endpoint.js';
import { cardOf, fetchCard } from '@parley/client/card/fetch-card.js';
import type { JsonApi } from '@parley/client/call/json-api.js';
import { RemoteError } from '@parley/client/http/remote-errors.js';
import { LoggedHttp } from '@parley/client/http/wire-log.js';
import { cliErrorOf, localError, usageError } from './cli-error.js';
import { PlainHttp } from '@parley/client/http/plain-http.js';
import type { Settings } from './settings.js';
import type { TokenFiles } from './token-files.js';

/** A card as it was found. */
export interface LoadedCard {
  readonly card: AgentCard;
  readonly raw: unknown;
  /** Where it was found: a URL or a path. */
  readonly url: string;
}

/** Agent of one command: the card, the client, the credential. */
export class Session {
  readonly http: AgentHttp;
  private loaded: LoadedCard | undefined;

  constructor(
    readonly settings: Settings,
    private readonly tokens: TokenFiles,
    private readonly note: (line: string) => void,
  ) {
    const plain = new PlainHttp({ insecure: settings.isOn('insecure'), ...this.certificate() });
    this.http = settings.isOn('debug') ? new LoggedHttp(plain, note) : plain;
  }

  get agent(): string {
    const agent = this.settings.text('agent-card');
    if (agent === undefined) throw usageError('Name the agent: --agent-card <host, URL or file>');
    return agent;
  }

  get hasCredential(): boolean {
    return this.settings.text('bearer') !== undefined || this.settings.text('api-key') !== undefined;
  }

  /** The card of `--agent-card`: fetched once for a command. */
  async card(): Promise<LoadedCard> {
    this.loaded ??= await this.loadCard();
    return this.loaded;
  }

  async client(): Promise<AgentClient> {
    const { card, url } = await this.card();
    const version = this.settings.text('a2a-version');
    const bindings = this.settings.list('transport');
    const wish = { bindings, allowsOlder: false, ...(version === undefined ? {} : { version }) };
    const hint = version === undefined ? olderVersion(card) : undefined;
    const endpoint = this.guarded(() => chooseEndpoint(card, wish), hint);
    if (this.settings.isOn('debug')) {
      this.note(`* ${endpoint.binding} of A2A ${endpoint.codec.version} at ${endpoint.url}`);
    }
    const auth = await this.auth(card, endpoint.url);
    this.noteOtherOrigin(url, endpoint.url);
    const insecure = this.settings.isOn('insecure');
    if (insecure && auth !== NO_AUTH) {
      this.note('SECURITY WARNING: --insecure: the credential is sent although no certificate is verified');
    } else if (insecure) this.note('Warning: --insecure: no certificate is verified');
    const headers = { ...requiredExtensions(card), ...this.serviceParameters() };
    return new AgentClient({ endpoint, http: this.http, auth, headers });
  }

  /** Translates the faults of calls to the agent. */
  failed(error: unknown, isCard = false, hint?: string): unknown {
    const agent = this.settings.text('agent-card') ?? '';
    const hasCredential = this.hasCredential || this.usesStored;
    return cliErrorOf(error, {
      hasCredential,
      isSent: hasCredential && (!isCard || this.showsCard),
      agent,
      isCard,
      hint,
    });
  }

  /** The card chooses where the credential of the flags goes: its user must see it. */
  private noteOtherOrigin(card: string, endpoint: string): void {
    const origin = new URL(endpoint).origin;
    if (!this.hasCredential || (URL.canParse(card) && new URL(card).origin === origin)) return;
    this.note(`SECURITY WARNING: the card is from ${card}: the credential is sent to ${origin}`);
  }

  private usesStored = false;
  /** Whether a credential was sent for the card. */
  private showsCard = false;

  private guarded<T>(work: () => T, hint?: string): T {
    try {
      return work();
    } catch (error) {
      throw this.failed(error, false, hint);
    }
  }

  /** The registry of `--registry`. */
  async registry(): Promise<JsonApi> {
    const base = this.settings.text('registry');
    if (base === undefined || !URL.canParse(base)) throw usageError('Name the registry: --registry <url>');
    return this.jsonApi(base, await this.plainAuth(base), 'registry');
  }

  /** Routes of the agent beside A2A, below the root, where its JSON-RPC binding is: a Parley service has some. */
  async routes(): Promise<JsonApi> {
    const { card, url: from } = await this.card();
    const { url } = this.guarded(() => chooseEndpoint(card, { bindings: ['JSONRPC'], allowsOlder: false }));
    this.noteOtherOrigin(from, url);
    return this.jsonApi(url, await this.auth(card, url), 'agent');
  }

  private async jsonApi(base: string, auth: AgentAuth, name: 'registry' | 'agent'): Promise<JsonApi> {
    // Loaded here: most commands speak A2A only.
    const api = await import('@parley/client/call/json-api.js');
    return new api.JsonApi(base, this.http, auth, name);
  }

  /** The credential of the flags where no card says where a key goes, or the token of an earlier login. */
  private async plainAuth(base: string): Promise<AgentAuth> {
    const key = this.settings.text('api-key');
    const isKey = this.settings.text('bearer') === undefined && key !== undefined;
    return isKey ? fixedAuth(apiKeyCredential('header', 'x-api-key', key)) : this.tokenAuth(base);
  }

  /** Where the card of an identifier is, as the registry has it. */
  private async cardUrl(reference: string): Promise<string> {
    if (!reference.startsWith('urn:air:')) return reference;
    const { url } = await (await this.registry()).get(`agents/${encodeURIComponent(reference)}`);
    if (typeof url !== 'string')
      throw localError('A2ACLI_ERR_CARD_NOT_FOUND', 'The registry names no card of the agent');
    return url;
  }

  private async loadCard(): Promise<LoadedCard> {
    const reference = this.agent;
    const path = pathOf(reference);
    try {
      if (path !== undefined) return { ...cardOf(readCardFile(path)), url: path };
      const fetched = await fetchCard(this.http, await this.cardUrl(reference), {
        credential: (challenge) => this.cardCredential(reference, challenge),
      });
      if ('unchanged' in fetched) throw new RemoteError('invalid-answer', 'The agent answered 304 to a first request');
      return { ...cardOf(fetched.text), url: fetched.url };
    } catch (error) {
      throw this.failed(error, true);
    }
  }

  /**
   * For a card that its origin does not show to strangers: the credential, if the challenge takes such (A2ACLI_AUTH_008). The user
   * has not named an address that a registry gives.
   */
  private async cardCredential(reference: string, challenge: string): Promise<Credential> {
    if (reference.startsWith('urn:air:')) return {};
    const isKey = this.settings.text('bearer') === undefined && this.settings.text('api-key') !== undefined;
    if (!new RegExp(`(^|[\\s,])${isKey ? 'ApiKey' : 'Bearer'}($|[\\s,])`, 'i').test(challenge)) return {};
    const auth = await this.plainAuth(cardUrls(reference)[0] ?? reference);
    this.showsCard = auth !== NO_AUTH;
    return auth.credential();
  }

  /** The credential of the flags, in the location that the card's schemes name, or the token of an earlier login. */
  private async auth(card: AgentCard, url: string): Promise<AgentAuth> {
    const key = this.settings.text('api-key');
    const isKey = this.settings.text('bearer') === undefined && key !== undefined;
    return isKey ? fixedAuth(apiKeyOf(card, key)) : this.tokenAuth(url);
  }

  /** The bearer token of the flags, or that of an earlier login at this origin. */
  private async tokenAuth(url: string): Promise<AgentAuth> {
    const bearer = this.settings.text('bearer');
    if (bearer !== undefined) return fixedAuth(bearerCredential(bearer));
    const stored = await this.tokens.find(new URL(url).origin, this.http);
    if (stored === undefined) return NO_AUTH;
    this.usesStored = true;
    return fixedAuth(bearerCredential(stored.accessToken));
  }

  private serviceParameters(): Readonly<Record<string, string>> {
    const entries = this.settings.list('svc-param').map((text) => {
      const colon = text.indexOf(':');
      if (colon < 1) throw usageError(`--svc-param must be <key>:<value>: ${text.slice(0, 20)}`);
      return [text.slice(0, colon).toLowerCase(), text.slice(colon + 1).trim()] as const;
    });
    return Object.fromEntries(entries);
  }

  private certificate(): { readonly cert?: string; readonly key?: string } {
    const [cert, key] = [this.settings.text('client-cert'), this.settings.text('client-key')];
    if (cert === undefined && key === undefined) return {};
    if (cert === undefined || key === undefined) throw usageError('--client-cert and --client-key belong together');
    return { cert: readText(cert), key: readText(key) };
  }
}

/** The flag for an agent that speaks older versions only: they are not used unless they are asked for. */
function olderVersion({ supportedInterfaces }: AgentCard): string | undefined {
  const usable = supportedInterfaces.map(endpointOf).find((one) => one !== undefined);
  return usable === undefined ? undefined : `Use the older version: --a2a-version ${usable.codec.version}`;
}

/** Extensions that the agent requires of every call (A2A 1.0 §4.6). */
function requiredExtensions({ capabilities }: AgentCard): Readonly<Record<string, string>> {
  const uris = (capabilities.extensions ?? []).flatMap(({ uri, required }) => (required === true ? [uri] : []));
  return uris.length === 0 ? {} : { 'a2a-extensions': uris.join(', ') };
}

/** Where the card's scheme wants an API key (A2A 1.0 §4.5.2). */
function apiKeyOf({ securitySchemes = {} }: AgentCard, key: string) {
  const scheme = Object.values(securitySchemes).find(
    (one: SecurityScheme): one is Extract<SecurityScheme, { apiKeySecurityScheme: object }> =>
      'apiKeySecurityScheme' in one,
  );
  if (scheme === undefined)
    throw usageError('The card of the agent declares no API key; see its schemes: parley card get');
  const { location, name } = scheme.apiKeySecurityScheme;
  return apiKeyCredential(location, name, key);
}

/** The path of a card in a file; undefined for a host or URL. */
function pathOf(reference: string): string | undefined {
  if (reference.startsWith('file://')) return fileURLToPath(reference);
  const isPath =
    /^(\.{0,2}\/|[a-z]:\\)/i.test(reference) || (reference.endsWith('.json') && !reference.includes('://'));
  return isPath ? reference : undefined;
}

function readCardFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw localError('A2ACLI_ERR_CARD_NOT_FOUND', `The card cannot be read: ${why}`);
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw usageError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
