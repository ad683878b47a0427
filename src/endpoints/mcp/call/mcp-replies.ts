import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Answers } from '../../../server/http/answer/answers.js';
import { PLAIN_JSON_HEADERS } from '../../../server/http/answer/media-types.js';
import { StreamMemory } from '../../../server/sse/stream-memory.js';
import { StreamMetrics } from '../../../server/sse/stream.metrics.js';
import { McpReply, type ReplyParts } from './mcp-reply.js';

/** Makes the replies of requests, and answers what needs none. */
@Injectable()
export class McpReplies implements OnModuleDestroy {
  private readonly parts: ReplyParts;
  private isLeaving = false;

  constructor(
    private readonly answers: Answers,
    memory: StreamMemory,
    metrics: StreamMetrics,
  ) {
    this.parts = { answers, memory, metrics, isLeaving: () => this.isLeaving };
  }

  onModuleDestroy(): void {
    this.isLeaving = true;
  }

  /** @param eventPrefix of a session: the beginning of the ids of its events */
  of(reply: FastifyReply, eventPrefix?: string): McpReply {
    return new McpReply(reply, this.parts, eventPrefix);
  }

  /** A notification or a response was taken: 202, and no body. */
  accepted(reply: FastifyReply): void {
    this.answers.send(reply, { status: 202, headers: {}, text: '' });
  }

  json(reply: FastifyReply, text: string, headers: Readonly<Record<string, string>>): void {
    this.answers.send(reply, { status: 200, headers: { ...PLAIN_JSON_HEADERS, ...headers }, text });
  }
}
