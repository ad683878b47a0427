import type { Environment } from '../../../main/app.environment.js';
import { modelSource } from '../../../main/app.skills.js';
import type { Provider, RoleEntry } from '../../../models/file/models-file.js';
import { addressOf } from '../../../models/providers/provider-ports.js';
import { modelClient } from '../../../models/providers/guarded-transport.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { faultText } from './fault-text.js';
import { type Finding, fine } from '../../../main/finding.js';

const CHECK = 'model';
/** Enough for gateways with hundreds of models. */
const MAX_LIST_BYTES = 4_194_304;

/** How a provider lists its models, which is free. */
interface Listing {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Lists the models of each provider: checks that it answers, accepts the key, and has the models of MODELS_FILE or MODEL_NAME.
 */
export async function checkModels(environment: Environment): Promise<readonly Finding[]> {
  const source = modelSource(environment);
  if (source === undefined) return [];
  const settings = source.path === undefined ? VARIABLES : FILE;
  const entries = [...source.file.models.values()];
  const providers = new Set(entries.map(({ provider }) => provider));
  const findings = await Promise.all(
    [...providers].map((provider) =>
      checkProvider(
        provider,
        entries.filter((entry) => entry.provider === provider),
        settings,
      ),
    ),
  );
  return findings.flat();
}

/** The names of what is to be corrected. */
interface Settings {
  readonly url: string;
  readonly key: string;
  readonly name: string;
}

const VARIABLES: Settings = { url: 'MODEL_URL', key: 'MODEL_KEY', name: 'MODEL_NAME' };
const FILE: Settings = { url: 'its url in MODELS_FILE', key: 'its key in MODELS_FILE', name: 'its id in MODELS_FILE' };

async function checkProvider(
  provider: Provider,
  entries: readonly RoleEntry[],
  settings: Settings,
): Promise<readonly Finding[]> {
  const listing = listingOf(provider);
  if (listing === undefined) {
    return entries.map(({ name }) =>
      fine(CHECK, `${name}: ${provider.type} does not list its models at ${addressOf(provider)}`),
    );
  }
  const url = `${addressOf(provider)}${listing.path}`;
  const client = modelClient(url);
  try {
    const request = { method: 'GET', url, headers: listing.headers, maxBytes: MAX_LIST_BYTES } as const;
    const { status, body } = await client.request(request);
    const refused = refusal(url, status, settings);
    if (refused !== undefined) return [refused];
    const names = namesIn(body);
    if (names === undefined)
      return [fine(CHECK, `${new URL(url).origin} answers, and lists no models (status ${String(status)})`)];
    return entries.map((entry) => judge(url, names, entry, settings));
  } catch (error) {
    const fix = `Start the model server, or correct ${settings.url}: its address up to the version, such as …/v1`;
    return [{ check: CHECK, severity: 'warn', text: `${url} cannot be reached: ${faultText(error)}`, fix }];
  } finally {
    await client.close();
  }
}

function listingOf({ type, key }: Provider): Listing | undefined {
  const secret = key?.text ?? '';
  switch (type) {
    case 'openai':
    case 'openai-compatible':
      return { path: '/models', headers: key === undefined ? {} : { authorization: `Bearer ${secret}` } };
    case 'anthropic':
      return { path: '/models?limit=1000', headers: { 'x-api-key': secret, 'anthropic-version': '2023-06-01' } };
    case 'google':
      return { path: '/models?pageSize=1000', headers: { 'x-goog-api-key': secret } };
    case 'bedrock':
      return undefined;
  }
}

function refusal(url: string, status: number, settings: Settings): Finding | undefined {
  if (status === 401 || status === 403) {
    const text = `${url} refuses the key (status ${String(status)})`;
    return { check: CHECK, severity: 'fail', text, fix: `Correct ${settings.key}` };
  }
  if (status < 500) return undefined;
  const text = `${url} answers with status ${String(status)}`;
  return { check: CHECK, severity: 'warn', text, fix: 'See the log of the model server' };
}

function judge(url: string, names: readonly string[], { id }: RoleEntry, settings: Settings): Finding {
  if (names.includes(id)) return fine(CHECK, `${new URL(url).origin} has ${id}`);
  const some = names.slice(0, 5).join(', ') || 'none';
  const text = `${url} does not list ${id}; it has ${some}${names.length > 5 ? ' …' : ''}`;
  return { check: CHECK, severity: 'warn', text, fix: `Correct ${settings.name}, or load the model there` };
}

/** The ids of a list of models; undefined for any other answer. Google lists `models/<id>`. */
function namesIn(body: Buffer): readonly string[] | undefined {
  try {
    const list: unknown = JSON.parse(body.toString());
    if (!isJsonObject(list)) return undefined;
    const listed = list.data ?? list.models;
    if (!Array.isArray(listed)) return undefined;
    return listed.flatMap((one: unknown) => {
      const id = isJsonObject(one) ? (one.id ?? one.name) : undefined;
      return typeof id === 'string' ? [id.replace(/^models\//, '')] : [];
    });
  } catch {
    return undefined;
  }
}
