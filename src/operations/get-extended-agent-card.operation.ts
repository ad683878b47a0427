import { Inject, Injectable } from '@nestjs/common';
import { AgentCards } from '../agents/card/agent-cards.js';
import { CardOptions } from '../agents/card/card.options.js';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import { A2AError } from '@parley/protocol/model/errors.js';
import { Json } from '@parley/protocol/model/json.js';
import type { Call } from './call.js';
import type { Operation } from './operation.js';

/** The answer is specific to its caller: no cache may share it (A2A-XCARD-06). */
const PRIVATE = { 'cache-control': 'private, max-age=60', vary: 'Authorization' };

/**
 * GetExtendedAgentCard (A2A 1.0 §3.1.11): the card for this caller. Without authentication there is none, and the
 * public card declares none (A2A-XCARD-01).
 */
@Injectable()
export class GetExtendedAgentCardOperation implements Operation<'GetExtendedAgentCard'> {
  constructor(
    private readonly cards: AgentCards,
    @Inject(CardOptions) private readonly options: CardOptions,
  ) {}

  async execute(_request: { readonly tenant?: string }, call: Call): Promise<Json<AgentCard>> {
    if (!this.options.facts.extendedAgentCard) {
      throw new A2AError('UnsupportedOperation', 'There is no extended agent card');
    }
    call.setHeaders(PRIVATE);
    return Json.of(await this.cards.cardFor(call.principal));
  }
}
