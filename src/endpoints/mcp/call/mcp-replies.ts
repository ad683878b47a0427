import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Answers } from '../../../server/http/answer/answers.js';
import { PLAIN_JSON_HEADERS } from '../../../server/http/answer/media-types.js';
import { StreamWriter } from '../../../server/sse/stream-writer.js';
import { McpReply } from './mcp-reply.js';

/** Makes the replies of requests, and answers what needs none. */
@Injectable()
export class McpReplies {
  constructor(
    private readonly answers: Answers,
    private readonly streams: StreamWriter,
  ) {}

  /** @param eventPrefix of a session: the beginning of the ids of its events */
  of(reply: FastifyReply, eventPrefix?: string): McpReply {
    return new McpReply(reply, { answers: this.answers, streams: this.streams }, eventPrefix);
  }

  /** A notification or a response was taken: 202, and no body. */
  accepted(reply: FastifyReply): void {
    this.answers.send(reply, { status: 202, headers: {}, text: '' });
  }

  json(reply: FastifyReply, text: string, headers: Readonly<Record<string, string>>): void {
    this.answers.send(reply, { status: 200, headers: { ...PLAIN_JSON_HEADERS, ...headers }, text });
  }
}
