import type { JsonObject } from '@parley/protocol/model/json.js';

/** A message of the conversation with a model. */
export type ModelMessage =
  | { readonly role: 'system'; readonly text: string }
  | {
      readonly role: 'user';
      readonly text: string;
      /** Only of types that the port reads. */
      readonly files?: readonly ModelFile[];
    }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly toolCalls?: readonly ToolCall[];
      /** What the reply had of it: without it some providers refuse the next request. */
      readonly opaque?: readonly Opaque[];
    }
  | { readonly role: 'tool'; readonly callId: string; readonly name: string; readonly text: string };

/** A file for a model. */
export interface ModelFile {
  readonly mediaType: string;
  readonly name?: string;
  /** Standard base64. */
  readonly data: string;
}

/**
 * Content of a reply that only its provider reads, such as signed reasoning. It goes back unchanged to the same provider and model within
 * the turn, and to nobody else.
 */
export interface Opaque {
  /** The provider and model that it came from: `anthropic/claude-x`. */
  readonly of: string;
  /** JSON. */
  readonly data: unknown;
}

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
  /** As the model wrote them: not checked against the schema. Undefined where they are no JSON. */
  readonly arguments: unknown;
  /** Their text where they are no JSON. */
  readonly raw?: string;
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
  /** Tokens of the input that the provider had in its cache, and those that it has put there. */
  readonly cached?: number;
  readonly written?: number;
  /** Tokens of the output that are reasoning. */
  readonly reasoning?: number;
}

/** Prices of a million tokens, in the operator's currency. Cached and written ones cost as much as others by default. */
export interface ModelPrices {
  readonly in: number;
  readonly cached?: number;
  readonly written?: number;
  readonly out: number;
}

/** A model that was asked in vain before the one that has answered. */
export interface ModelTry {
  readonly model: string;
  /** The kind of its fault. */
  readonly why: string;
  readonly ms: number;
}

export type ModelFinish = 'stop' | 'tools' | 'length' | 'filtered';

export interface ModelReply {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly usage: ModelUsage;
  readonly finish: ModelFinish;
  /** Its opaque content, for the messages that follow it. */
  readonly opaque?: readonly Opaque[];
  /** The model that has answered, and its kind of provider, where several could. */
  readonly model?: string;
  readonly provider?: string;
  /** Those that were asked before. */
  readonly tries?: readonly ModelTry[];
  /** The cost in millionths of the currency; absent: by the prices of the port. */
  readonly micros?: number;
}

export interface ModelCallOptions {
  readonly signal: AbortSignal;
  /** The same for each repetition of the call: the place of a waiting call in the line of its account, too. */
  readonly idempotencyKey: string;
  /** The tenant of the task; absent: any. */
  readonly tenant?: string;
  /** Called with each piece of the text as it comes; the pieces together are the text. Absent where no one streams. */
  readonly onText?: (piece: string) => void;
}

/** A language model, or a double of one. An adapter makes one request a call: no loop, no retry, no hidden tool call. */
export interface ModelPort {
  /** For metrics and traces: few values, such as the name of the model. */
  readonly name: string;
  /** Whether it answers in this process without a request: then it answers simulated tasks too. */
  readonly isLocal?: boolean;
  /** The model of a role of MODELS_FILE, or another one of the same provider; absent where there is only this one. */
  named?(model: string): ModelPort;
  /** The names that `named` takes; absent: any. */
  readonly roles?: readonly string[] | undefined;
  /** Media types of the files that it reads, or ranges such as `image/*`; absent: none. */
  readonly reads?: readonly string[] | undefined;
  /** The highest prices of a call; absent: those of the service. */
  readonly prices?: ModelPrices;
  /** Throws `ModelFault`, or the reason of the signal. */
  complete(request: ModelRequest, options: ModelCallOptions): Promise<ModelReply>;
}
