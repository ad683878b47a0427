import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { A2AError } from '@parley/protocol/model/errors.js';
import type { Json } from '@parley/protocol/model/json.js';
import type {
  OperationName,
  ResultOf,
  SendMessageResponse,
  UnaryOperation,
} from '@parley/protocol/model/operations.js';
import type { RpcError, WireCall, WireCodec } from '@parley/protocol/codec/codec.js';
import { isJsonObject } from '@parley/protocol/json/json-value.js';
import { type RpcId, rpcErrorText, rpcResultText } from '@parley/protocol/binding/rpc-envelope.js';
import { codecV1 } from '@parley/protocol/v1_0/codec.js';
import { type IntentAnswer, intentAnswerOf } from './intent-answer.js';
import { faultOf, faultOfAnswer } from './intent-fault.js';
import { messageOfIntent, readIntentParams } from './intent-request.js';
import { Intents } from './intents.js';

/** Codes of completed calls without a result; A2A uses −32001 to −32010. */
const CODES: Readonly<Record<Exclude<IntentAnswer['kind'], 'done'>, number>> = {
  running: -32050,
  asks: -32051,
  failed: -32052,
};

/**
 * Intents over JSON-RPC (seed 2 § 6.2): a skill with an `input` contract is a method, `params` are its inputs, and
 * `result` is its result. The call is SendMessage of A2A 1.0, with its limits, scopes and trace (O-01, O-03).
 */
@Injectable()
export class IntentCodec implements WireCodec {
  readonly version = '1.0';
  readonly methods = codecV1.methods;

  constructor(private readonly intents: Intents) {}

  operationOf(method: string): OperationName | undefined {
    return this.intents.find(method) === undefined ? undefined : 'SendMessage';
  }

  decodeParams(_operation: OperationName, { method, params }: WireCall): unknown {
    const intent = this.intents.find(method);
    return intent && messageOfIntent(intent, readIntentParams(params), randomUUID);
  }

  legacyTerms(): undefined {
    return undefined;
  }

  encodeResult(_operation: OperationName, result: Json<unknown>): string {
    return result.text;
  }

  /** The result of the intent, or an error for a task that is running, asks, or has failed. */
  encodeAnswer<O extends UnaryOperation>(id: RpcId, result: Json<ResultOf<O>>, { method, params }: WireCall): string {
    // SendMessage is its only operation.
    const response = result.value as SendMessageResponse;
    const answer = intentAnswerOf(response, this.intents.find(method)?.hasOutput === true);
    if (answer.kind === 'done') return rpcResultText(id, JSON.stringify(answer.result));
    return rpcErrorText(id, { code: CODES[answer.kind], ...faultOfAnswer(answer, hasRequestId(params)) });
  }

  streamEncoder(): ReturnType<WireCodec['streamEncoder']> {
    return (event) => [event.text];
  }

  encodeError(error: A2AError, call?: WireCall): RpcError {
    const { code } = codecV1.encodeError(error);
    return { code, ...faultOf(error, call?.params, 'rpc') };
  }
}

/** Whether the caller sent a request id, so that a repeat follows the same task. */
export function hasRequestId(params: unknown): boolean {
  if (!isJsonObject(params)) return false;
  const { context } = params;
  return isJsonObject(context) && context.request_id !== undefined;
}
