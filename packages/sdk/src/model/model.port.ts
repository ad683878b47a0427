import type { JsonObject } from '@parley/protocol/model/json.js';

/** A message of the conversation with a model. */
export type ModelMessage =
  | { readonly role: 'system' | 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly toolCalls?: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly name: string; readonly text: string };

/** A tool that the model may call. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly parameters: JsonObject;
  /** Examples of requests for it; models without a field for them do not see them. */
  readonly examples?: readonly string[];
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** As the model wrote them: not checked against the schema. */
  readonly arguments: unknown;
}

export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  readonly tools?: readonly ModelTool[];
  /** Default `auto`. */
  readonly toolChoice?: 'auto' | 'none' | 'required';
  /** JSON Schema that the text must fit. */
  readonly responseSchema?: JsonObject;
  /** Most tokens of the answer. */
  readonly maxTokens?: number;
  readonly temperature?: number;
}

/** Tokens; estimated where the model does not count them. */
export interface ModelUsage {
  readonly input: number;
  readonly output: number;
}

export type ModelFinish = 'stop' | 'tools' | 'length' | 'filtered';

export interface ModelReply {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly usage: ModelUsage;
  readonly finish: ModelFinish;
}

export interface ModelCallOptions {
  readonly signal: AbortSignal;
  /** The same for each repetition of the call. */
  readonly idempotencyKey: string;
  /** Called with each piece of the text as it comes; the pieces together are the text. Absent where no one streams. */
  readonly onText?: (piece: string) => void;
}

/** A language model, or a double of one. An adapter makes one request a call: no loop, no hidden tool call. */
export interface ModelPort {
  /** For metrics and traces: few values, such as the name of the model. */
  readonly name: string;
  /** Whether it answers in this process without a request: then it answers simulated tasks too. */
  readonly isLocal?: boolean;
  /** Another model of the same provider, by its name there; absent where there is only this one. */
  named?(model: string): ModelPort;
  /** Throws `ModelFault`, or the reason of the signal. */
  complete(request: ModelRequest, options: ModelCallOptions): Promise<ModelReply>;
}
