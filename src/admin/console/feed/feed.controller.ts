import { Controller, Get, Query, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Principal } from '../../../auth/principal.js';
import { CONSOLE_SCOPES } from '../../../auth/scopes.js';
import { Caller } from '../../../http/guards/caller.guard.js';
import { PassportGuard } from '../../../http/guards/passport.guard.js';
import { RequireScope, ScopeGuard } from '../../../http/guards/scope.guard.js';
import { FeedRunner } from '../../../http/binding/feed.runner.js';
import { ValidQuery } from '../../../http/params/valid.pipes.js';
import { AnswerType, Summary } from '../../../http/params/summary.js';
import { FeedSlots } from './caller-slots.js';
import { ConsoleGuard } from '../../../http/console-api/console.guard.js';
import { type FeedFrame, frameJson } from './console-feed.js';
import { FeedDto } from '../dto/feed.dto.js';
import { FeedSources } from './feed-sources.js';

/** The live feed of the console: changed rows of the list, and hints of events of one opened task. */
@Controller('console/api/feed')
@UseGuards(PassportGuard, ScopeGuard, ConsoleGuard)
@RequireScope(CONSOLE_SCOPES.observe)
export class FeedController {
  constructor(
    private readonly sources: FeedSources,
    private readonly slots: FeedSlots,
    private readonly feeds: FeedRunner,
  ) {}

  /**
   * Server-Sent Events until the reader disconnects, its credential expires or the process shuts down. @throws
   * RateLimitedError
   */
  @Get()
  @Summary('Follows the tasks of the tenant, and the events of one of them')
  @AnswerType('text/event-stream')
  async feed(
    @Caller() caller: Principal,
    @Query(new ValidQuery(FeedDto)) query: FeedDto,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const free = this.slots.take(caller);
    const feed = await this.sources.open(caller, query).catch((error: unknown) => {
      free();
      throw error;
    });
    feed.onClose(free);
    const encode = (frame: FeedFrame): readonly string[] => [frameJson(frame)];
    this.feeds.run(reply, caller, { events: feed, encode, leave: () => void feed.return() });
  }
}
