import type { KeySource, ModelsFile, Provider, RoleEntry } from './models-file.js';
import { ModelDto } from './models-file.dto.js';

/** The one model of MODEL_URL. */
export interface ModelVariables {
  readonly url: string;
  readonly name: string;
  readonly key?: KeySource;
  readonly priceIn: number;
  readonly priceOut: number;
}

/** MODEL_URL as a file of one model. Any other name is a model there, at the same prices. */
export function modelsOfVariables({ url, name, key, priceIn, priceOut }: ModelVariables): ModelsFile {
  const provider: Provider = {
    ...{ name: 'default', type: 'openai-compatible', url },
    ...(key === undefined ? {} : { key }),
  };
  const { firstMs, idleMs, totalMs } = new ModelDto();
  const entries = new Map<string, RoleEntry>();
  const open = (id: string): RoleEntry => {
    const price = { in: priceIn, out: priceOut };
    const entry = entries.get(id) ?? { name: id, id, provider, price, firstMs, idleMs, totalMs };
    entries.set(id, entry);
    return entry;
  };
  const only = open(name);
  return { models: new Map([[name, only]]), default: only, tenants: new Map(), open };
}
