import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Answers } from '../../../http/answer/answers.js';
import { PLAIN_JSON_HEADERS } from '../../../http/answer/media-types.js';
import { StreamWriter } from '../../../http/sse/stream-writer.js';
import { McpReply } from './mcp-reply.js';

/** Creates the replies of requests, and acknowledges notifications. */
@Injectable()
export class McpReplies {
  constructor(
    private readonly answers: Answers,
    private readonly streams: StreamWriter,
  ) {}

  /** @param eventPrefix prefix of a session's event ids */
  of(reply: FastifyReply, eventPrefix?: string): McpReply {
    return new McpReply(reply, { answers: this.answers, streams: this.streams }, eventPrefix);
  }

  /** Acknowledges a notification or a response: 202 without a body. */
  accepted(reply: FastifyReply): void {
    this.answers.send(reply, { status: 202, headers: {}, text: '' });
  }

  json(reply: FastifyReply, text: string, headers: Readonly<Record<string, string>>): void {
    this.answers.send(reply, { status: 200, headers: { ...PLAIN_JSON_HEADERS, ...headers }, text });
  }
}
