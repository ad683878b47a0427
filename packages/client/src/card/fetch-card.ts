import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import { A2AError } from '@parley/protocol/model/errors.js';
import { readCard } from '@parley/protocol/card/read-card.js';
import { parseJson } from '@parley/protocol/json/parse-json.js';
import type { Credential } from '../http/agent-auth.js';
import { type AgentAnswer, type AgentHttp, type AgentRequest, readAll, withCredential } from '../http/agent-http.js';
import { cardUrls } from './card-reference.js';
import { failedAnswer } from '../http/failed-answer.js';
import { invalidAnswer, RemoteError } from '../http/remote-errors.js';

/** Bytes of a card. */
export const MAX_CARD_BYTES = 256 * 1024;
const SCAN = { maxDepth: 32, maxTokens: 20_000 };
const DEADLINES = { headers: 5000, idle: 5000, total: 10_000 };

/** A card as it was received. */
export interface FetchedCard {
  readonly url: string;
  readonly text: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Validators of a card that was fetched before (RFC 9110 §8.8). */
export interface KnownCard {
  readonly url: string;
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

/** @param challenge `WWW-Authenticate` of the refusal (RFC 9110 §11.6.1), empty where it has none */
export type CardCredential = (challenge: string, signal?: AbortSignal) => Promise<Credential>;

export interface FetchOptions {
  readonly known?: KnownCard | undefined;
  /** For a card that its origin does not show to strangers: it is asked for once more with the credential, if there is one for its challenge. */
  readonly credential?: CardCredential;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Fetches the card of a reference. Returns the headers alone when the agent says that it is the known one. A path that
 * has no card leads to the next one; any other fault is final.
 * @throws RemoteError
 */
export async function fetchCard(
  http: AgentHttp,
  reference: string,
  { known, credential, signal }: FetchOptions = {},
): Promise<FetchedCard | { readonly unchanged: Readonly<Record<string, string>> }> {
  const urls = known === undefined ? cardUrls(reference) : [known.url];
  let missing: RemoteError | undefined;
  for (const url of urls) {
    const headers = { accept: 'application/json', 'a2a-version': '1.0', ...conditionsOf(known) };
    const answer = await shown(http, { method: 'GET', url, headers, deadlines: DEADLINES, signal }, credential);
    if (answer.status === 304 && known !== undefined) {
      await failedAnswer(answer);
      return { unchanged: answer.headers };
    }
    if (answer.status === 200) {
      const tooLarge = (): RemoteError => invalidAnswer(`The card has more than ${String(MAX_CARD_BYTES)} bytes`);
      const text = (await readAll(answer.body, MAX_CARD_BYTES, tooLarge)).toString('utf8');
      return { url, text, headers: answer.headers };
    }
    const failed = await failedAnswer(answer);
    if (answer.status !== 404 && answer.status !== 410) throw failed;
    missing = failed;
  }
  throw new RemoteError('refused', `There is no agent card at ${urls.join(' or ')}`, { status: 404, cause: missing });
}

/** Most cards are public: the credential is sent only where the origin that was named refuses without it. */
async function shown(http: AgentHttp, request: AgentRequest, credentialOf?: CardCredential): Promise<AgentAnswer> {
  const answer = await http.send(request);
  if (credentialOf === undefined || (answer.status !== 401 && answer.status !== 403)) return answer;
  const credential = await credentialOf(answer.headers['www-authenticate'] ?? '', request.signal);
  if (credential.headers === undefined && credential.query === undefined) return answer;
  await failedAnswer(answer);
  return http.send(withCredential(request, credential));
}

/** The card in a text. @throws RemoteError invalid-answer */
export function cardOf(text: string): { readonly card: AgentCard; readonly raw: unknown } {
  try {
    const raw = parseJson(Buffer.from(text), SCAN);
    return { card: readCard(raw), raw };
  } catch (error) {
    if (error instanceof A2AError) throw invalidAnswer(error.message, error);
    throw error;
  }
}

function conditionsOf(known: KnownCard | undefined): Readonly<Record<string, string>> {
  return {
    ...(known?.etag === undefined ? {} : { 'if-none-match': known.etag }),
    ...(known?.lastModified === undefined ? {} : { 'if-modified-since': known.lastModified }),
  };
}
