import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Command } from 'commander';
import { printableJson } from '@parley/protocol/json/printable.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { usageError } from '../context/cli-error.js';
import { type CommandContext, run } from '../context/command-context.js';
import { field } from '../context/output.js';
import type { WebhookCheck } from '../webhook/webhook-check.js';

/** A notification larger than this is refused. */
const MAX_BYTES = 16 * 1024 * 1024;

/** `parley webhook listen`: a receiver of notifications on this machine (a2a-cli specification §9.2). */
export function webhookCommands(webhook: Command): void {
  const listen = webhook
    .command('listen')
    .description('receives notifications on this machine, verifies and shows them')
    .option('-o, --output <format>', 'text or json: one document a line (default: text)')
    .option('--port <port>', 'port of 127.0.0.1; 0: any free one (default: 8888)')
    .option('--token <token>', 'the token that the webhook was registered with')
    .option('--secret <secret>', 'the secret that the agent signs with')
    .option('--jwks <url>', 'the keys of the agent, where it sends tokens: https://…/.well-known/jwks.json')
    .option('--status <status>', 'answers with this status (default: 200)')
    .option('--fail-first <n>', 'answers 503 to the first n notifications')
    .option('--retry-after <seconds>', 'adds a Retry-After header')
    .option('--count <n>', 'ends after n notifications');
  listen.action(() => run(listen, (context) => new Receiver(context).run()));
}

class Receiver {
  private count = 0;
  private readonly seen = new Map<string, number>();
  private readonly options;

  constructor(private readonly context: CommandContext) {
    const { flags } = context;
    this.options = {
      port: numberOf(flags.port, '--port', 8888),
      status: numberOf(flags.status, '--status', 200),
      failFirst: numberOf(flags.failFirst, '--fail-first', 0),
      most: numberOf(flags.count, '--count', Infinity),
      retryAfter: flags.retryAfter === undefined ? undefined : String(numberOf(flags.retryAfter, '--retry-after', 0)),
      token: textOf(flags.token),
      secret: textOf(flags.secret),
      jwks: textOf(flags.jwks),
    };
  }

  /** Resolves when as many notifications have come as were asked for; without a number, never. */
  async run(): Promise<void> {
    // Loaded here: no other command verifies signatures of webhooks.
    const { checkWebhook, tokenCheck } = await import('../webhook/webhook-check.js');
    const { jwks } = this.options;
    const checkToken = jwks === undefined ? undefined : tokenCheck(jwks);
    const check = async ({ headers }: IncomingMessage, body: Buffer): Promise<readonly WebhookCheck[]> => [
      ...checkWebhook(headers, body, this.options),
      ...(checkToken === undefined ? [] : [{ name: 'JWT', isRight: await checkToken(headers, body) }]),
    ];
    await new Promise<void>((resolve, reject) => {
      const server = createServer((request, response) => {
        this.take(request, response, check).then(
          () => {
            if (this.count >= this.options.most) end(server, resolve);
          },
          () => response.destroy(),
        );
      });
      server.on('error', (cause: NodeJS.ErrnoException) => {
        const isTaken = cause.code === 'EADDRINUSE';
        reject(isTaken ? usageError(`Port ${String(this.options.port)} is taken: name another with --port`) : cause);
      });
      server.listen(this.options.port, '127.0.0.1', () => {
        const { port } = server.address() as AddressInfo;
        this.context.output.note(`Listening: http://localhost:${String(port)}/`);
      });
    });
  }

  private async take(
    request: IncomingMessage,
    response: ServerResponse,
    check: (request: IncomingMessage, body: Buffer) => Promise<readonly WebhookCheck[]>,
  ): Promise<void> {
    const validation = new URL(request.url ?? '/', 'http://localhost').searchParams.get('validationToken');
    if (request.method === 'GET' && validation !== null) {
      response.writeHead(200, { 'content-type': 'text/plain' }).end(validation);
      return;
    }
    if (Number(request.headers['content-length'] ?? 0) > MAX_BYTES) {
      response.writeHead(413, { connection: 'close' }).end();
      return;
    }
    const body = await buffer(request);
    this.count += 1;
    const checks = await check(request, body);
    const isForged = checks.some(({ isRight }) => isRight === false);
    const status = isForged ? 401 : this.count <= this.options.failFirst ? 503 : this.options.status;
    const { retryAfter } = this.options;
    await new Promise<void>((resolve) => {
      response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end(resolve);
    });
    this.show(request, body, { checks, status });
  }

  private show(
    { headers }: IncomingMessage,
    body: Buffer,
    { checks, status }: { readonly checks: readonly WebhookCheck[]; readonly status: number },
  ): void {
    const id = String(headers['webhook-id'] ?? '');
    const times = (this.seen.get(id) ?? 0) + 1;
    if (id !== '') this.seen.set(id, times);
    const event = parsed(body);
    const said = { at: new Date().toISOString(), ...(id === '' ? {} : { id, times }), status, checks, event };
    if (this.context.output.isJson) this.context.streams.out(`${printableJson(said)}\n`);
    else for (const line of linesOf(said)) this.context.streams.out(`${line}\n`);
  }
}

interface Said {
  readonly at: string;
  readonly id?: string;
  readonly times?: number;
  readonly status: number;
  readonly checks: readonly WebhookCheck[];
  readonly event: unknown;
}

function linesOf({ at, id, times = 1, status, checks, event }: Said): readonly string[] {
  return [
    field('Notification', summaryOf(event)),
    field('Received', at),
    ...(id === undefined ? [] : [field('Id', times > 1 ? `${id} (arrived ${String(times)} times)` : id)]),
    field('Answered', String(status)),
    ...checks.flatMap(({ name, isRight }) => (isRight === undefined ? [] : [field(name, isRight ? 'right' : 'WRONG')])),
    field('Event', typeof event === 'string' ? event : printableJson(event)),
    '',
  ];
}

/** One line for the events of 1.0, the tasks of 0.3 and the notes of 0.1. */
function summaryOf(event: unknown): string {
  if (!isJsonObject(event)) return 'not JSON';
  const { task, statusUpdate, artifactUpdate, message, kind, eventType } = event;
  if (isJsonObject(statusUpdate)) return `status ${stateOf(statusUpdate)}`;
  if (isJsonObject(artifactUpdate)) return 'artifact';
  if (isJsonObject(task)) return `task ${stateOf(task)}`;
  if (message !== undefined) return 'message';
  const name = [eventType, kind].find((one) => typeof one === 'string');
  return typeof name === 'string' ? `${name} ${stateOf(event)}` : 'unknown event';
}

function stateOf({ status }: { readonly status?: unknown }): string {
  if (typeof status === 'string') return status;
  return isJsonObject(status) && typeof status.state === 'string' ? status.state : '';
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return body.toString();
  }
}

function end(server: Server, done: () => void): void {
  server.close(() => {
    done();
  });
  server.closeIdleConnections();
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function numberOf(value: unknown, name: string, usual: number): number {
  if (value === undefined) return usual;
  const number = Number(value);
  if (Number.isInteger(number) && number >= 0) return number;
  throw usageError(`${name} must be a whole number`);
}
