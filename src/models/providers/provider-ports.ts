import { createRequire } from 'node:module';
import { fromAiSdk, type AiSdkModel } from '@parley/sdk/model/ai-sdk/ai-sdk.model.js';
import { ModelFault } from '@parley/sdk/model/model-fault.js';
import type { ModelPort } from '@parley/sdk/model/model.port.js';
import type { GuardedClient } from '../../outbound/guarded-client.js';
import type { ProviderType } from '../file/models-file.dto.js';
import type { Provider, RoleEntry } from '../file/models-file.js';
import { OpenAiModel } from '../openai/openai.model.js';
import { guardedFetch } from './guarded-fetch.js';
import { guardedTransport, modelClient } from './guarded-transport.js';

/** A provider's package of the AI SDK. */
interface Vendor {
  readonly name: string;
  /** The line that runs on Node 20. */
  readonly version: string;
  /** The function of it that makes a provider. */
  readonly maker: string;
}

/** What each maker is given. Whatever is left out, the packages read from the environment: they get all of it. */
interface MakerOptions {
  readonly apiKey: string;
  readonly baseURL: string;
  readonly region?: string;
  readonly fetch: typeof fetch;
}

const VENDORS: Readonly<Partial<Record<ProviderType, Vendor>>> = {
  anthropic: { name: '@ai-sdk/anthropic', version: '3', maker: 'createAnthropic' },
  google: { name: '@ai-sdk/google', version: '3', maker: 'createGoogleGenerativeAI' },
  bedrock: { name: '@ai-sdk/amazon-bedrock', version: '4', maker: 'createAmazonBedrock' },
};

const require = createRequire(import.meta.url);

/** The package that a provider needs and that is not installed; undefined where nothing is missing. */
export function missingPackage(type: ProviderType): string | undefined {
  const vendor = VENDORS[type];
  if (vendor === undefined) return undefined;
  try {
    require.resolve(vendor.name);
    return undefined;
  } catch {
    return `${vendor.name}@${vendor.version}`;
  }
}

/** The address of a provider up to its version. */
export function addressOf({ type, url, awsRegion = '' }: Provider): string {
  if (url !== undefined) return url.replace(/\/+$/, '');
  switch (type) {
    case 'anthropic':
      return 'https://api.anthropic.com/v1';
    case 'google':
      return 'https://generativelanguage.googleapis.com/v1beta';
    case 'bedrock':
      return `https://bedrock-runtime.${awsRegion}.amazonaws.com`;
    case 'openai':
    case 'openai-compatible':
      return 'https://api.openai.com/v1';
  }
}

/** Makes the ports of models. Connections of a provider are shared by its models. */
export class ProviderPorts {
  private readonly clients = new Map<string, GuardedClient>();

  /** The port of a model. @param key the present key of its account */
  portOf(entry: RoleEntry, key?: () => string): ModelPort {
    const url = addressOf(entry.provider);
    const transport = guardedTransport(this.clientOf(url), entry);
    const vendor = VENDORS[entry.provider.type];
    if (vendor !== undefined) {
      const options = { baseURL: url, fetch: guardedFetch(transport), region: entry.provider.awsRegion ?? '' };
      return lazyPort(vendor, entry.id, () => ({ ...options, apiKey: key?.() ?? '' }));
    }
    return new OpenAiModel({ url, model: entry.id, ...(key === undefined ? {} : { key }) }, transport);
  }

  async close(): Promise<void> {
    await Promise.all([...this.clients.values()].map((client) => client.close()));
  }

  private clientOf(url: string): GuardedClient {
    const { origin } = new URL(url);
    const client = this.clients.get(origin) ?? modelClient(url);
    this.clients.set(origin, client);
    return client;
  }
}

/** Loads the package at the first call, and makes the model for each: its key may have changed. */
function lazyPort({ name, version, maker }: Vendor, id: string, options: () => MakerOptions): ModelPort {
  let loading: Promise<(options: MakerOptions) => (id: string) => AiSdkModel> | undefined;
  const load = async () => {
    try {
      const loaded = (await import(name)) as Readonly<Record<string, unknown>>;
      return loaded[maker] as (options: MakerOptions) => (id: string) => AiSdkModel;
    } catch (cause) {
      throw new ModelFault('refused', `The package ${name}@${version} is not installed`, { cause });
    }
  };
  return {
    name: id,
    async complete(request, call) {
      const make = await (loading ??= load());
      return fromAiSdk(make(options())(id)).complete(request, call);
    },
  };
}
