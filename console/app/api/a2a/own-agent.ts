import type { JSONWebKeySet } from 'jose';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import type { CardFinding } from '@parley/protocol/card/card-finding.js';
import type { Card } from '../../view/card.js';
import type { InterfaceLook, Signature } from './other-agents.js';
import { send } from '../request.js';

/** The card of this agent, and the page's findings about it. */
export interface OwnAgent {
  readonly card: Card;
  readonly text: string;
  /** As readers get it that do not ask for a version. */
  readonly older: string;
  readonly findings: readonly CardFinding[];
  readonly signature: Signature;
  readonly interfaces: readonly InterfaceLook[];
}

const MAX_TRIED = 8;

/** Reads the card of this agent, which is open to everybody, in the version that the page reads, and checks it as a caller would. */
export async function readOwnAgent(path: string, signal: AbortSignal): Promise<OwnAgent> {
  const [response, other, { checkCard, checkCardHeaders }] = await Promise.all([
    send(path, { signal, headers: { 'a2a-version': '1.0' } }),
    send(path, { signal }),
    import('@parley/protocol/card/check-card.js'),
  ]);
  const [text, older] = await Promise.all([response.text(), other.text()]);
  const card = JSON.parse(text) as Card;
  const [signature, interfaces] = await Promise.all([signatureOf(card, signal), interfacesOf(card, signal)]);
  const findings = [...checkCard(card), ...checkCardHeaders(Object.fromEntries(response.headers))];
  return { card, text, older, findings, signature, interfaces };
}

/** By the keys that the service publishes. */
async function signatureOf(card: Card, signal: AbortSignal): Promise<Signature> {
  if ((card.signatures ?? []).length === 0) return { outcome: 'absent' };
  if (!isSecureContext) return { outcome: 'unverifiable', why: 'browsers verify nothing over plain HTTP' };
  const [response, { verifyCard }] = await Promise.all([
    send('/.well-known/jwks.json', { signal }),
    import('@parley/client/card/verify-card.js'),
  ]);
  return verifyCard(card as AgentCard, (await response.json()) as JSONWebKeySet);
}

/** A page asks no other origin than its own. */
function interfacesOf({ supportedInterfaces = [] }: Card, signal: AbortSignal): Promise<readonly InterfaceLook[]> {
  const tried = new Map<string, Promise<Pick<InterfaceLook, 'reach' | 'word'>>>();
  const once = (url: string): Promise<Pick<InterfaceLook, 'reach' | 'word'>> => {
    const present = tried.get(url) ?? answerOf(url, signal);
    tried.set(url, present);
    return present;
  };
  return Promise.all(
    supportedInterfaces
      .slice(0, MAX_TRIED)
      .map(async ({ url = '', protocolBinding = '', protocolVersion = '' }): Promise<InterfaceLook> => {
        const shown = { url, protocolBinding, protocolVersion };
        if (!/^https?:/i.test(url)) return { ...shown, reach: 'not-tried', word: 'a page speaks only HTTP' };
        if (!URL.canParse(url) || new URL(url).origin !== location.origin)
          return { ...shown, reach: 'not-tried', word: 'it is at another origin than this page' };
        return { ...shown, ...(await once(new URL(url).href)) };
      }),
  );
}

/** Any answer will do: interfaces take POST, and refuse this request. */
async function answerOf(url: string, signal: AbortSignal): Promise<Pick<InterfaceLook, 'reach' | 'word'>> {
  const began = performance.now();
  try {
    const { status, body } = await fetch(url, { signal, cache: 'no-store', credentials: 'omit' });
    await body?.cancel();
    return { reach: 'answers', word: `${String(status)} after ${String(Math.round(performance.now() - began))} ms` };
  } catch {
    return { reach: 'silent', word: 'no answer' };
  }
}
