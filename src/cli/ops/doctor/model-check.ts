import type { Environment } from '../../../main/app.environment.js';
import { modelClient } from '../../../models/openai/guarded-transport.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { faultText } from './fault-text.js';
import { type Finding, fine } from '../../../main/finding.js';

const CHECK = 'model';
/** Enough for gateways with hundreds of models. */
const MAX_LIST_BYTES = 4_194_304;

/**
 * Lists the models at MODEL_URL, which is free: checks that the server answers, accepts the key, and has MODEL_NAME.
 */
export async function checkModel({ MODEL_URL, MODEL_NAME, MODEL_KEY }: Environment): Promise<readonly Finding[]> {
  if (MODEL_URL === undefined) return [];
  const url = `${MODEL_URL.replace(/\/$/, '')}/models`;
  const headers = MODEL_KEY === undefined ? {} : { authorization: `Bearer ${MODEL_KEY}` };
  const client = modelClient(MODEL_URL);
  try {
    const { status, body } = await client.request({ method: 'GET', url, headers, maxBytes: MAX_LIST_BYTES });
    return [judge(url, status, namesIn(body), MODEL_NAME ?? '')];
  } catch (error) {
    const fix = 'Start the model server, or correct MODEL_URL: its address up to the version, such as …/v1';
    return [{ check: CHECK, severity: 'warn', text: `${url} cannot be reached: ${faultText(error)}`, fix }];
  } finally {
    await client.close();
  }
}

function judge(url: string, status: number, names: readonly string[] | undefined, wished: string): Finding {
  if (status === 401 || status === 403) {
    const text = `${url} refuses the key (status ${String(status)})`;
    return { check: CHECK, severity: 'fail', text, fix: 'Correct MODEL_KEY' };
  }
  if (status >= 500) {
    const text = `${url} answers with status ${String(status)}`;
    return { check: CHECK, severity: 'warn', text, fix: 'See the log of the model server' };
  }
  if (names === undefined)
    return fine(CHECK, `${new URL(url).origin} answers, and lists no models (status ${String(status)})`);
  if (names.includes(wished)) return fine(CHECK, `${new URL(url).origin} has ${wished}`);
  const some = names.slice(0, 5).join(', ') || 'none';
  const text = `${url} does not list ${wished}; it has ${some}${names.length > 5 ? ' …' : ''}`;
  return { check: CHECK, severity: 'warn', text, fix: 'Correct MODEL_NAME, or load the model there' };
}

/** The ids of a list of models; undefined for any other answer. */
function namesIn(body: Buffer): readonly string[] | undefined {
  try {
    const list: unknown = JSON.parse(body.toString());
    if (!isJsonObject(list) || !Array.isArray(list.data)) return undefined;
    return list.data.flatMap((one: unknown) => (isJsonObject(one) && typeof one.id === 'string' ? [one.id] : []));
  } catch {
    return undefined;
  }
}
