import { Controller, Get, Headers, Injectable, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AgentCards } from '../../agents/card/agent-cards.js';
import type { AgentNews } from '../feed/feed-reader.js';
import { REGISTRY_PATH } from '../registry.options.js';
import { RegistryFeed } from '../feed/registry-feed.js';
import type { Principal } from '../../auth/principal.js';
import { REGISTRY_SCOPES } from '../registry.scopes.js';
import { Caller } from '../../http/guards/caller.guard.js';
import { PassportGuard } from '../../http/guards/passport.guard.js';
import { RequireScope, ScopeGuard } from '../../http/guards/scope.guard.js';
import { FeedRunner } from '../../http/binding/feed.runner.js';
import { CallerSlots } from '../../http/caller-slots.js';
import { AnswerType, Summary } from '../../http/params/summary.js';
import { RegistryGuard } from './registry.guard.js';

/** Open feeds of registries. Each tenant with one costs a process at most 512 KiB of changes. */
@Injectable()
export class RegistryFeedSlots extends CallerSlots {
  constructor() {
    super({ subject: 'open registry feeds', most: 200, mostOfTenant: 100, mostOfCaller: 10 });
  }
}

/** Live changes of the agents visible to a caller. */
@Controller('registry/events')
@UseGuards(PassportGuard, ScopeGuard, RegistryGuard)
@RequireScope(REGISTRY_SCOPES.read)
export class RegistryEventsController {
  constructor(
    private readonly feed: RegistryFeed,
    private readonly slots: RegistryFeedSlots,
    private readonly feeds: FeedRunner,
    private readonly cards: AgentCards,
  ) {}

  /**
   * Server-Sent Events until the reader disconnects, its credential expires or the process shuts down. @throws
   * RateLimitedError
   */
  @Get()
  @Summary('Follows the changes of agents; goes on behind the event in Last-Event-ID')
  @AnswerType('text/event-stream')
  async follow(
    @Caller() caller: Principal,
    @Headers('last-event-id') lastId: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const free = this.slots.take(caller);
    const reader = await this.feed.open(caller, lastId).catch((error: unknown) => {
      free();
      throw error;
    });
    reader.onClose(free);
    // Event streams have a stricter rule of their own.
    void reply.removeHeader('cache-control');
    const agents = `${this.cards.url()}${REGISTRY_PATH}/agents`;
    const encode = (news: AgentNews): readonly string[] => [JSON.stringify(linked(news, agents))];
    this.feeds.run(reply, caller, { events: reader, encode, leave: () => void reader.return() });
  }
}

/** A change with the link to its agent, or to the list. @param agents URL of the list */
function linked(news: AgentNews, agents: string): AgentNews & { readonly url?: string } {
  if (news.change === 'gone') return news;
  return { ...news, url: news.change === 'reset' ? agents : `${agents}/${encodeURIComponent(news.identifier)}` };
}
