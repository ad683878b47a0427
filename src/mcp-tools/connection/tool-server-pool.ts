import { setTimeout as pause } from 'node:timers/promises';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { SpanKind } from '@opentelemetry/api';
import { carrierOf } from '../../platform/tracing/trace-carrier.js';
import { genAiAttributes, genAiName, recordContent } from '../../platform/tracing/gen-ai.js';
import { failSpan, traced } from '../../platform/tracing/traced.js';
import type {
  ToolFault,
  ToolInvocation,
  ToolOutcome,
  ToolServers,
  ToolTerms,
} from '@parley/sdk/skill/tools/skill-tool.js';
import { ToolError, type ToolErrorKind } from '../client/tool-error.js';
import type { ToolMetrics } from '../tool.metrics.js';
import type { ToolServerSettings, ToolSettings } from '../settings/server-file.js';
import { CallSlots } from './call-slots.js';
import { ToolConnection, ToolOff } from './tool-connection.js';
import type { ToolPeers } from './tool-peers.js';

/** Attempts of a call that was surely not done, or may be repeated. */
const MAX_ATTEMPTS = 3;
const FIRST_PAUSE_MS = 200;
/** A longer `Retry-After` ends the attempts here. */
const LONGEST_PAUSE_MS = 5000;
/** Connections with credentials of tenants, per process. */
const MAX_CONNECTIONS = 500;
const REAP_MS = 10_000;

/** Origin of a task's call. */
export interface CallOrigin {
  /** Services that it may still pass through; 0 forbids the call. */
  readonly hopsLeft: number;
  /** The trace of the caller, as headers; passed on if this process records none of its own. */
  readonly trace: Readonly<Record<string, string>>;
}

/** The dependencies of the pool. */
export interface PoolSources {
  readonly servers: readonly ToolServerSettings[];
  readonly peers: ToolPeers;
  readonly metrics: ToolMetrics;
  readonly originOf: (taskId: string) => Promise<CallOrigin>;
  /** Pause before the second attempt of a call, ms; default 200. */
  readonly firstPauseMs?: number;
}

/** The tool servers of MCP_SERVERS_FILE with their connections in this process; unlisted servers cannot be called. */
export class ToolServerPool implements ToolServers, OnApplicationShutdown {
  private readonly log = new Logger(ToolServerPool.name);
  private readonly byName: ReadonlyMap<string, ToolServerSettings>;
  private readonly connections = new Map<string, ToolConnection>();
  private readonly slots = new Map<string, CallSlots>();
  private reaper: NodeJS.Timeout | undefined;

  constructor(private readonly sources: PoolSources) {
    this.byName = new Map(sources.servers.map((server) => [server.name, server]));
  }

  get servers(): readonly ToolServerSettings[] {
    return this.sources.servers;
  }

  find(server: string, tool: string): ToolTerms | undefined {
    const found = this.listed(server, tool);
    if (found === undefined) return undefined;
    const { pin, effects, onUnknown, isLong } = found.tool;
    return { pin, onUnknown, isLong, isRepeatable: effects !== 'once' };
  }

  /** Whether a tool is listed, as `server/tool`. */
  knows(agent: string): boolean {
    return this.named(agent) !== undefined;
  }

  /** A listed tool, as `server/tool`. @throws ToolError */
  require(agent: string): Listed {
    const found = this.named(agent);
    if (found === undefined) throw new ToolError('refused', 'MCP_SERVERS_FILE does not list it any more');
    return found;
  }

  async invoke(call: ToolInvocation): Promise<ToolOutcome> {
    const found = this.listed(call.server, call.tool);
    if (found === undefined) return failed('unknown-tool', call, 'MCP_SERVERS_FILE does not list it');
    const begun = performance.now();
    const outcome = await traced(
      genAiName(`execute_tool ${call.tool}`, `tools/call ${call.tool}`),
      () => spanOf(call),
      async (span) => {
        recordContent(span, 'gen_ai.tool.call.arguments', () => call.args);
        const outcome = await this.attempted(found, call, carrierOf(span));
        if (outcome.kind === 'result') recordContent(span, 'gen_ai.tool.call.result', () => outcome.result);
        if (outcome.kind === 'failed') failSpan(span, outcome.why);
        return outcome;
      },
    );
    this.noted(call, outcome, performance.now() - begun);
    return outcome;
  }

  /** The connection of a tenant to a server, for requests other than calls. */
  connection(server: ToolServerSettings, tenant: string): ToolConnection {
    const key = `${server.name} ${this.sources.peers.credentialOf(server, tenant)}`;
    const known = this.connections.get(key) ?? new ToolConnection(() => this.sources.peers.open(server, tenant));
    // Re-inserted as the most recent.
    this.connections.delete(key);
    this.connections.set(key, known);
    const oldest = this.connections.size > MAX_CONNECTIONS ? this.oldestIdle() : undefined;
    if (oldest !== undefined) this.drop(...oldest);
    this.reaper ??= setInterval(() => this.reap(), REAP_MS).unref();
    return known;
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.reaper);
    await Promise.all([...this.connections.values()].map((one) => one.close()));
    this.connections.clear();
  }

  private named(agent: string): Listed | undefined {
    const slash = agent.indexOf('/');
    return this.listed(agent.slice(0, slash), agent.slice(slash + 1));
  }

  private listed(server: string, tool: string): Listed | undefined {
    const settings = this.byName.get(server);
    const found = settings?.tools.find(({ name }) => name === tool);
    return settings === undefined || found === undefined ? undefined : { server: settings, tool: found };
  }

  private async attempted({ server, tool }: Listed, call: ToolInvocation, own: object): Promise<ToolOutcome> {
    const { hopsLeft, trace } = await this.sources.originOf(call.taskId);
    if (hopsLeft <= 0) return failed('refused', call, 'services have called each other as often as they may');
    const sent = { ...call, trace: { ...trace, ...own }, hops: hopsLeft - 1 };
    for (let attempt = 1; ; attempt += 1) {
      try {
        const connection = this.connection(server, call.tenant);
        return await this.slotsOf(server).use(call.signal, () => connection.call(tool, sent));
      } catch (error) {
        call.signal.throwIfAborted();
        const pauseMs = attempt < MAX_ATTEMPTS ? pauseBefore(error, tool, this.usualPause(attempt)) : undefined;
        if (pauseMs === undefined) return this.outcomeOf(error, call);
        await pause(pauseMs, undefined, { signal: call.signal });
      }
    }
  }

  private usualPause(attempt: number): number {
    const { firstPauseMs = FIRST_PAUSE_MS } = this.sources;
    return firstPauseMs * 2 ** (attempt - 1) * (0.5 + Math.random());
  }

  private outcomeOf(error: unknown, call: ToolInvocation): ToolOutcome {
    if (error instanceof ToolOff) {
      if (error.isMismatch) this.sources.metrics.mismatched(call.server, call.tool);
      return failed(error.why, call, error.message);
    }
    if (error instanceof ToolError) return failed(FAULTS[error.kind], call, error.message);
    throw error;
  }

  /** Logs one line per call, without its arguments and its result. */
  private noted({ server, tool, taskId }: ToolInvocation, outcome: ToolOutcome, ms: number): void {
    const ending = outcome.kind === 'failed' ? outcome.why : outcome.kind;
    this.sources.metrics.called(server, ending, ms);
    this.log.log({ event: 'tool.called', server, tool, taskId, ending, ms: Math.round(ms) });
  }

  private slotsOf({ name, concurrency }: ToolServerSettings): CallSlots {
    const slots = this.slots.get(name) ?? new CallSlots(concurrency);
    this.slots.set(name, slots);
    return slots;
  }

  /** Ends processes that have been idle for a while. */
  private reap(): void {
    for (const [key, connection] of this.connections) {
      const { transport } = this.byName.get(key.split(' ')[0] ?? '') ?? {};
      const idleMs = transport?.type === 'stdio' ? transport.idleMs : IDLE_MS;
      if (connection.idleMs > idleMs) this.drop(key, connection);
    }
  }

  private oldestIdle(): readonly [string, ToolConnection] | undefined {
    return [...this.connections].find(([, { idleMs }]) => idleMs > 0);
  }

  private drop(key: string, connection: ToolConnection): void {
    this.connections.delete(key);
    void connection.close();
  }
}

/** An idle session is closed after this time, ms. */
const IDLE_MS = 600_000;

/** A tool with its server. */
export interface Listed {
  readonly server: ToolServerSettings;
  readonly tool: ToolSettings;
}

const FAULTS: Readonly<Record<ToolErrorKind, ToolFault>> = {
  unsent: 'unreachable',
  busy: 'unreachable',
  blocked: 'unreachable',
  lost: 'unknown-outcome',
  auth: 'denied',
  refused: 'refused',
  'invalid-answer': 'bad-result',
};

/** Undefined: no further attempt. A call that was sent is repeated only if its effects allow it. */
function pauseBefore(error: unknown, { effects, onUnknown }: ToolSettings, usualMs: number): number | undefined {
  if (!(error instanceof ToolError)) return undefined;
  const mayRepeat = effects !== 'once' || onUnknown === 'repeat';
  const isWorthIt = error.kind === 'unsent' || error.kind === 'busy' || (error.kind === 'lost' && mayRepeat);
  if (!isWorthIt) return undefined;
  const wished = Math.max(error.retryAfterMs ?? 0, usualMs);
  return wished > LONGEST_PAUSE_MS ? undefined : wished;
}

function failed(why: ToolFault, { server, tool }: ToolInvocation, text: string): ToolOutcome {
  return { kind: 'failed', why, text: `The tool ${tool} of ${server}: ${text}` };
}

function spanOf({ server, tool, idempotencyKey }: ToolInvocation) {
  const attributes = { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': tool, 'mcp.server.name': server };
  const ofAgents = genAiAttributes('execute_tool', { 'gen_ai.tool.call.id': idempotencyKey });
  return { kind: SpanKind.CLIENT, attributes: { ...attributes, ...ofAgents } };
}
