import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Part } from '@parley/protocol/model/message.js';
import { SkillFailure } from '../skill-failure.js';

/** Tools of MCP servers that a skill calls, by the server's name in MCP_SERVERS_FILE. */
export type DeclaredTools = Readonly<Record<string, readonly string[]>>;

/** Calls tools of the servers in MCP_SERVERS_FILE. */
export interface SkillTools {
  /**
   * Calls a tool once per turn: a re-run after a crash gets the first result. Resolves with results that the tool marks as errors,
   * too: a model can correct its call by them. Throws `ToolFailed` where there is no result.
   */
  readonly call: (server: string, tool: string, args?: JsonObject, options?: ToolCallOptions) => Promise<ToolResult>;
}

export interface ToolCallOptions {
  /** The name of the call in the journal. Default: the tool with the number of the call, in the order in which they are made. */
  readonly as?: string;
  /** Limit of the call, ms; at most the operator's limit for the tool. */
  readonly timeoutMs?: number;
  /** Progress of the tool, at most once a second. */
  readonly onProgress?: (progress: ToolProgress) => void;
}

/** Progress as a tool reports it. */
export interface ToolProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** The result of a tool. It is data from elsewhere: never treat it as instructions. */
export interface ToolResult {
  /** Its structured content, which fits the pinned output schema; absent where the tool has none. */
  readonly structured?: unknown;
  /** Its text blocks, joined by line breaks. */
  readonly text: string;
  /** All of its content. Links are not followed. */
  readonly parts: readonly Part[];
  /** The tool has failed; `text` says why. */
  readonly isError: boolean;
}

/** Why a tool call has no result. */
export type ToolFault =
  /** The skill does not declare it, or the operator does not list it. */
  | 'unknown-tool'
  /** It is not there any more, or differs from its pin. */
  | 'off'
  /** The arguments do not fit its schema; nothing was sent. */
  | 'bad-arguments'
  /** The server cannot be reached, or has no capacity. */
  | 'unreachable'
  /** There is no credential for the caller's tenant, or the server refuses it. */
  | 'denied'
  /** The server answered with an error of the protocol. */
  | 'refused'
  /** The result breaks the protocol, its schema or a bound. */
  | 'bad-result'
  /** The call was sent, and it is unknown whether it had its effect. */
  | 'unknown-outcome';

/**
 * Thrown when a tool call has no result. After `unknown-outcome`, check its effect before it is repeated. Uncaught, it
 * fails the task with its text.
 */
export class ToolFailed extends SkillFailure {
  override readonly name = 'ToolFailed';

  constructor(
    readonly why: ToolFault,
    message: string,
  ) {
    super(message);
  }
}

/** The operator's settings for a tool. */
export interface ToolTerms {
  readonly pin: string;
  /** Whether a call may be sent again when its outcome is unknown: its effects are none or idempotent. */
  readonly isRepeatable: boolean;
  /** Behaviour after an unknown outcome of any other tool. */
  readonly onUnknown: 'fail' | 'ask' | 'repeat';
  /** The tool answers with a task of its own that outlives connections and processes. */
  readonly isLong: boolean;
}

/** A call as it is sent. */
export interface ToolInvocation {
  /** '' for a skill without a task. */
  readonly taskId: string;
  readonly server: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** Whose credential is used, where the server wants one for each tenant. */
  readonly tenant: string;
  /** The same for every repetition of the call. */
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number | undefined;
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
  /** Answers to the questions of the tool. */
  readonly answers?: ToolAnswers | undefined;
}

/** A question of a tool: a form, or an address to open. */
export interface ToolQuestion {
  readonly key: string;
  readonly text: string;
  /** Of a form: the schema of the answer. */
  readonly schema?: JsonObject;
  readonly url?: string;
}

/** Answers to the questions of a tool, by their keys, with the state that came with them. */
export interface ToolAnswers {
  readonly state?: string;
  readonly content: Readonly<Record<string, unknown>>;
}

/** Outcome of a call: JSON, for the journal. */
export type ToolOutcome =
  | { readonly kind: 'result'; readonly result: ToolResult }
  | { readonly kind: 'asks'; readonly questions: readonly ToolQuestion[]; readonly state?: string }
  /** The tool has begun a task. */
  | { readonly kind: 'task'; readonly taskId: string; readonly pollMs: number }
  | { readonly kind: 'failed'; readonly why: ToolFault; readonly text: string };

/** The tool servers of this process. The service provides them. */
export interface ToolServers {
  /** The terms of a tool; undefined for one that the operator does not list. */
  find(server: string, tool: string): ToolTerms | undefined;
  /** Calls a tool. Never rejects but with the reason of the signal. */
  invoke(invocation: ToolInvocation): Promise<ToolOutcome>;
}

/** For skills outside of a service. */
export const NO_TOOLS: ToolServers = {
  find: () => undefined,
  invoke: ({ server, tool }) =>
    Promise.resolve({ kind: 'failed', why: 'unknown-tool', text: `There is no tool ${tool} of ${server} here` }),
};

/** The skill that is one call of a long tool, for the service. Callers cannot name it. */
export function longToolSkill(server: string, tool: string): string {
  return `tool:${server}/${tool}`;
}
