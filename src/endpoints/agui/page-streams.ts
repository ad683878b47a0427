import { Injectable, Logger } from '@nestjs/common';
import type { A2AError } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import { Answers } from '../../http/answer/answers.js';
import { BindingRunner } from '../../http/binding/binding.runner.js';
import type { Sides } from '../../http/binding/exchange.js';
import { type TextAnswer, toClientError } from '../../http/errors.js';
import { EVENT_STREAM_HEADERS } from '../../http/sse/sse-response.js';
import type { AguiExchange } from './agui-exchange.js';
import { codeOf } from './agui-faults.js';
import { type Frame, runFailed } from './frames.js';
import type { RunEncoder } from './run-encoder.js';
import { RunFrames } from './run-frames.js';

/** The stream of a run. */
interface PageStream {
  readonly events: ConstructorParameters<typeof RunFrames>[0];
  readonly encoder: RunEncoder;
  /** As of `RunFrames`. */
  readonly ending?: (taskId: string) => Promise<JsonObject>;
  /** Called when the page has disconnected before the end. */
  readonly gone?: (taskId: string) => Promise<unknown>;
}

/** Writes frames to pages. */
@Injectable()
export class PageStreams {
  private readonly log = new Logger(PageStreams.name);

  constructor(
    private readonly answers: Answers,
    private readonly runner: BindingRunner,
  ) {}

  /** Some frames as a whole answer. */
  textOf(frames: readonly Frame[]): TextAnswer {
    const text = frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('');
    return { status: 200, headers: EVENT_STREAM_HEADERS, text };
  }

  /** Answers with frames that need no task. */
  send(exchange: AguiExchange, frames: readonly Frame[], { reply }: Sides): void {
    this.answers.send(reply, this.textOf(frames));
    this.runner.end(exchange);
  }

  write(exchange: AguiExchange, sides: Sides, { events, encoder, ending, gone }: PageStream): void {
    const { taskId } = exchange.running.facts;
    if (taskId !== undefined) void sides.reply.header('parley-task-id', taskId);
    exchange.read = undefined;
    const frames = new RunFrames(events, encoder, ending);
    const ended = this.runner.stream(exchange, sides, { events: frames, encode: (texts) => texts, lastFrame });
    if (gone === undefined || taskId === undefined) return;
    // A process that leaves or a stalled reader cancels nothing.
    ended
      .then(({ how }) => (how === 'gone' ? gone(taskId) : undefined))
      .catch((error: unknown) => toClientError(error, this.log));
  }
}

/** After an outage the page comes back: its stream ends without a last frame. */
function lastFrame(error: A2AError): string | undefined {
  if (error.kind === 'Unavailable') return undefined;
  return `data: ${JSON.stringify(runFailed(error.message, codeOf(error)))}\n\n`;
}
