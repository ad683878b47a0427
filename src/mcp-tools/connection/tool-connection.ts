import type { JsonObject } from '@parley/protocol/model/json.js';
import type { ToolInvocation, ToolOutcome, ToolFault } from '@parley/sdk/skill/tools/skill-tool.js';
import { PARLEY_META, TASKS_EXTENSION } from '@parley/protocol/mcp/revision.js';
import { headerText } from '../client/http-answer.js';
import type { Peer } from '../client/peer.js';
import { headersOfCall, type ToolDefinition } from '../client/tool-definition.js';
import { ToolError } from '../client/tool-error.js';
import { readOutcome } from './read-result.js';
import { faultsOfValue, SchemaTooHard } from '@parley/sdk/skill/schema/check-value.js';
import { type ToolSettings, UNPINNED } from '../settings/server-file.js';
import { listTools, type ListedTools } from './list-tools.js';

/** Pause before a failed connection is tried again, ms: doubled with each consecutive failure. */
const PAUSE = { first: 500, most: 30_000 };

/** A tool cannot be called in its present state. */
export class ToolOff extends Error {
  override readonly name = 'ToolOff';

  constructor(
    readonly why: ToolFault,
    message: string,
    /** Its description differs from its pin. */
    readonly isMismatch = false,
  ) {
    super(message);
  }
}

/** A call with its trace and hops. */
export interface SentCall extends ToolInvocation {
  /** The trace, as headers. */
  readonly trace: Readonly<Record<string, string>>;
  /** Services that the call may still pass through. */
  readonly hops: number;
}

/** One tool server with one credential: connected at the first call, and reconnected when it broke. */
export class ToolConnection {
  private peer: Promise<Peer> | undefined;
  private current: Peer | undefined;
  private listed: Promise<ListedTools> | undefined;
  private failures = 0;
  private refused: { readonly until: number; readonly error: unknown } | undefined;
  private underWay = 0;
  private usedAt = performance.now();

  constructor(
    private readonly open: () => Promise<Peer>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Time since the last request, ms; 0 while one is in progress. */
  get idleMs(): number {
    return this.underWay > 0 ? 0 : this.now() - this.usedAt;
  }

  /** @throws ToolOff, ToolError, or the reason of the signal */
  async call(tool: ToolSettings, call: SentCall): Promise<ToolOutcome> {
    const definition = await this.pinned(tool);
    checkArguments(definition, call.args);
    const { args, signal, onProgress, answers, timeoutMs = tool.timeoutMs } = call;
    const params: JsonObject = {
      ...{
        name: tool.name,
        arguments: args,
        _meta: metaOf(call),
      },
      ...(answers === undefined ? {} : { inputResponses: responsesOf(answers.content) }),
      ...(answers?.state === undefined ? {} : { requestState: answers.state }),
    };
    const result = await this.request({
      ...{ method: 'tools/call', params, name: tool.name, signal, onProgress },
      headers: { ...call.trace, ...headersOfCall(definition, args, headerText) },
      capabilities: capabilitiesOf(tool),
      timeoutMs: Math.min(timeoutMs, tool.timeoutMs),
    });
    return readOutcome(result, { ...tool, definition });
  }

  /** The present description of the tool. @throws ToolOff for a missing tool, or one that differs from its pin */
  async pinned(tool: ToolSettings): Promise<ToolDefinition> {
    const definition = (await this.tools()).get(tool.name);
    if (definition === undefined) throw new ToolOff('off', 'The server has no such tool any more', true);
    if (tool.pin === UNPINNED)
      throw new ToolOff('off', 'It has no pin: look at it, then pin it with "parley ops mcp pin"');
    if (tool.pin !== definition.pin)
      throw new ToolOff('off', 'It differs from its pin: see "parley ops mcp tools"', true);
    return definition;
  }

  /** The tools of the server by name. @throws ToolError */
  async tools(): Promise<ReadonlyMap<string, ToolDefinition>> {
    const known = await this.listed?.catch(() => undefined);
    if (known !== undefined && known.freshUntil > this.now()) return known.byName;
    if (known !== undefined) this.listed = undefined;
    this.listed ??= listTools((call) => this.request(call), this.now).catch((error: unknown) => {
      this.listed = undefined;
      throw error;
    });
    return (await this.listed).byName;
  }

  /** A request with its result. @throws ToolError, or the reason of the signal */
  async request(call: Parameters<Peer['call']>[0]): Promise<JsonObject> {
    this.underWay += 1;
    try {
      return await this.requested(call);
    } finally {
      this.underWay -= 1;
      this.usedAt = this.now();
    }
  }

  private async requested(call: Parameters<Peer['call']>[0]): Promise<JsonObject> {
    const peer = await this.opened();
    try {
      return await peer.call(call);
    } catch (error) {
      // Drops a broken peer, and one that answers no request: the next call gets a new one, unaffected by the old.
      const isDeaf = error instanceof ToolError && error.kind === 'lost' && this.underWay === 1;
      if (!peer.isOpen || isDeaf) await this.leave(peer);
      throw error;
    }
  }

  async close(): Promise<void> {
    const peer = await this.peer?.catch(() => undefined);
    if (peer !== undefined) await this.leave(peer);
  }

  private async opened(): Promise<Peer> {
    if (this.refused !== undefined && this.refused.until > this.now()) throw this.refused.error;
    this.peer ??= this.open().then(
      (peer) => {
        this.failures = 0;
        this.refused = undefined;
        this.current = peer;
        peer.onChange(() => (this.listed = undefined));
        return peer;
      },
      (error: unknown) => {
        this.peer = undefined;
        this.failures += 1;
        const pauseMs = Math.min(PAUSE.first * 2 ** (this.failures - 1), PAUSE.most) * (0.5 + Math.random());
        this.refused = { until: this.now() + pauseMs, error };
        throw error;
      },
    );
    return this.peer;
  }

  private async leave(peer: Peer): Promise<void> {
    // Another call may have opened the next one meanwhile.
    if (this.current === peer) this.current = this.peer = this.listed = undefined;
    await peer.close().catch(() => undefined);
  }
}

function metaOf({ trace, hops, idempotencyKey }: SentCall): JsonObject {
  return { ...trace, [PARLEY_META.hops]: hops, [PARLEY_META.idempotencyKey]: idempotencyKey };
}

/** Questions are accepted from every tool; tasks only from tools marked as long by the operator. */
function capabilitiesOf({ isLong }: ToolSettings): JsonObject {
  const elicitation = { form: {}, url: {} };
  return isLong ? { elicitation, extensions: { [TASKS_EXTENSION]: {} } } : { elicitation };
}

/** Answers to the questions of a tool, in protocol form. */
export function responsesOf(content: Readonly<Record<string, unknown>>): JsonObject {
  const entries = Object.entries(content).map(([key, value]) => [
    key,
    { action: 'accept', ...(value === undefined ? {} : { content: value }) },
  ]);
  return Object.fromEntries(entries) as JsonObject;
}

/** Rejects arguments that cannot match. A schema that is too expensive to check is left to the server. */
function checkArguments({ inputSchema }: ToolDefinition, args: JsonObject): void {
  try {
    const faults = faultsOfValue(inputSchema, args);
    if (faults.length === 0) return;
    const text = faults.map(({ path, text }) => `${path || 'the arguments'} ${text}`).join('; ');
    throw new ToolOff('bad-arguments', `The arguments do not fit: ${text}`);
  } catch (error) {
    if (!(error instanceof SchemaTooHard)) throw error;
  }
}
