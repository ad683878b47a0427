import { Injectable } from '@nestjs/common';
import type { AgentCard, AgentInterface } from '@parley/protocol/model/agent-card.js';
import { RemoteError } from '@parley/client/http/remote-errors.js';
import { type SignatureOutcome, verifyCard } from '@parley/client/card/verify-card.js';
import type { RemoteAuth } from '../remote/directory/remote-auth.js';
import { GuardedHttp } from '../remote/directory/guarded-http.js';
import type { Principal } from '../security/auth/principal.js';
import type { CardFinding } from '@parley/protocol/card/card-finding.js';
import { checkCard, checkCardHeaders } from '@parley/protocol/card/check-card.js';
import { type SeenCard, SeenCards } from './seen-cards.store.js';
import { type AgentReference, originOf, type TriedAgent, TriedAgents } from './tried-agents.js';

/** An agent as a look at it has found it. Its texts are its publisher's: hostile. */
export type AgentLook =
  | {
      readonly found: true;
      /** Where the card is. */
      readonly url: string;
      /** The card as it was received. */
      readonly text: string;
      /** The same as A2A 1.0 has it. */
      readonly card: AgentCard;
      /** Another card of it, which was seen before by somebody of the tenant. */
      readonly before?: SeenCard;
      /** What of it is not as A2A asks, by rule. */
      readonly findings: readonly CardFinding[];
      readonly signature: SignatureOutcome;
      readonly interfaces: readonly InterfaceLook[];
      /** What calls to it prove this service with. */
      readonly credentials: RemoteAuth['type'];
    }
  | { readonly found: false; readonly why: string };

/** An interface of a card: whether anything answers there, or why it was not tried. */
export interface InterfaceLook extends Pick<AgentInterface, 'url' | 'protocolBinding' | 'protocolVersion'> {
  readonly reach: 'answers' | 'silent' | 'not-tried';
  /** `405 after 12 ms`; else why. */
  readonly word: string;
}

const MAX_TRIED = 8;
const DEADLINES = { headers: 5_000, idle: 5_000, total: 5_000 };

/** Looks at agents: card, signature, and whether its interfaces answer. No credential is sent. */
@Injectable()
export class AgentLooks {
  constructor(
    private readonly agents: TriedAgents,
    private readonly seen: SeenCards,
    private readonly http: GuardedHttp,
  ) {}

  /** @throws A2AError InvalidParams for an agent that the caller does not find */
  async look(caller: Principal, reference: AgentReference): Promise<AgentLook> {
    try {
      const agent = await this.agents.read(caller, reference);
      const [signature, interfaces, before] = await Promise.all([
        verifyCard(agent.card, agent.keys),
        this.interfacesOf(agent),
        this.seen.note(caller.tenant, nameOf(reference), agent.text),
      ]);
      const credentials = reference.kind === 'listed' ? reference.agent.auth.type : 'none';
      const { url, text, card } = agent;
      const findings = [
        ...checkCard(agent.raw),
        ...(agent.headers === undefined ? [] : checkCardHeaders(agent.headers)),
      ];
      return { found: true, url, text, card, findings, signature, interfaces, credentials, ...(before && { before }) };
    } catch (error) {
      if (error instanceof RemoteError) return { found: false, why: error.message };
      throw error;
    }
  }

  private interfacesOf({ card, origins }: TriedAgent): Promise<readonly InterfaceLook[]> {
    return Promise.all(
      card.supportedInterfaces.slice(0, MAX_TRIED).map(async ({ url, protocolBinding, protocolVersion }) => {
        const shown = { url, protocolBinding, protocolVersion };
        if (!/^https?:/i.test(url)) return { ...shown, ...notTried('only HTTP is spoken from here') };
        if (!origins.has(originOf(url))) return { ...shown, ...notTried('it is at another origin than the card') };
        return { ...shown, ...(await this.try(url)) };
      }),
    );
  }

  /** Any answer of HTTP will do: interfaces take POST, and refuse what is asked here. */
  private async try(url: string): Promise<Pick<InterfaceLook, 'reach' | 'word'>> {
    const began = performance.now();
    try {
      const { status, body } = await this.http.send({ method: 'GET', url, headers: {}, deadlines: DEADLINES });
      await leave(body);
      const ms = Math.round(performance.now() - began);
      return { reach: 'answers', word: `${String(status)} after ${String(ms)} ms` };
    } catch (error) {
      if (error instanceof RemoteError) return { reach: 'silent', word: error.message };
      throw error;
    }
  }
}

function nameOf(reference: AgentReference): string {
  switch (reference.kind) {
    case 'url':
      return reference.url;
    case 'registry':
      return reference.identifier;
    case 'listed':
      return reference.agent.name;
  }
}

function notTried(word: string): Pick<InterfaceLook, 'reach' | 'word'> {
  return { reach: 'not-tried', word };
}

/** Leaving a body cuts its connection. */
async function leave(body: AsyncIterable<Buffer>): Promise<void> {
  await body[Symbol.asyncIterator]().return?.();
}
