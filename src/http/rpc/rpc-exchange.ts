import type { AnswerOf } from '../../operations/operation.js';
import type { A2AError } from '@parley/protocol/model/errors.js';
import {
  isStreaming,
  type OperationName,
  type StreamingOperation,
  type UnaryOperation,
} from '@parley/protocol/model/operations.js';
import type { WireCall, WireCodec } from '@parley/protocol/codec/codec.js';
import { NULL_ID, rpcErrorText, type RpcId, rpcResultText } from '@parley/protocol/binding/rpc-envelope.js';
import { codecV1 } from '@parley/protocol/v1_0/codec.js';
import type { CallName, RunningCall } from '../binding/call-recorder.js';
import { type EventCodec, OperationExchange } from '../binding/exchange.js';
import type { Answer } from '../answer/answers.js';
import { PLAIN_JSON_HEADERS } from '../answer/media-types.js';
import type { TextAnswer } from '../errors.js';
import { EVENT_STREAM_HEADERS } from '../sse/sse-response.js';
import { rpcFault } from './rpc-faults.js';

/** A JSON-RPC call, answered in its dialect and with its id. */
export class RpcExchange extends OperationExchange {
  codec: WireCodec = codecV1;
  id: RpcId = NULL_ID;
  operation: OperationName | undefined = undefined;
  private call: WireCall | undefined = undefined;

  /** @param accept `Accept` header of the request */
  constructor(
    running: RunningCall,
    private readonly accept = '',
  ) {
    super(running);
  }

  /** The call as received; undefined before its envelope has been read. */
  set wire(call: WireCall) {
    this.call = call;
    this.running.facts.method = call.method;
  }

  override get name(): CallName {
    return { binding: 'jsonrpc', operation: this.operation, dialect: this.codec.version };
  }

  override answer(operation: UnaryOperation, result: AnswerOf<UnaryOperation>): Answer {
    const { codec, id } = this;
    const { pieces } = result;
    if (codec.version === '1.0' && pieces !== undefined) {
      const [before = '', after = ''] = rpcResultText(id, '\n').split('\n');
      return { headers: PLAIN_JSON_HEADERS, pieces: [Buffer.from(before), ...pieces, Buffer.from(after)] };
    }
    const call = this.readCall();
    const text =
      codec.encodeAnswer?.(id, result, call) ?? rpcResultText(id, codec.encodeResult(operation, result, call));
    return { status: 200, headers: PLAIN_JSON_HEADERS, text };
  }

  override events(operation: StreamingOperation): EventCodec {
    const { codec, id } = this;
    const encodeEvent = codec.streamEncoder(operation, this.readCall());
    return {
      encode: (event) => encodeEvent(event).map((text) => rpcResultText(id, text)),
      encodeFault: (error) => rpcErrorText(id, codec.encodeError(error)),
    };
  }

  override fault(error: A2AError): TextAnswer {
    const answer = rpcFault(error, { codec: this.codec, id: this.id, wire: this.call });
    const mayStream = this.operation === undefined || isStreaming(this.operation);
    if (answer.status !== 200 || !mayStream || !takesOnlyEvents(this.accept)) return answer;
    // An answer of one event: a stream that ends with its beginning.
    return { status: 200, headers: EVENT_STREAM_HEADERS, text: `data: ${answer.text}\n\n` };
  }

  private readCall(): WireCall {
    if (this.call === undefined) throw new Error('The call has not been read');
    return this.call;
  }
}

/** Whether a caller accepts only an event stream: several SDKs lose an error that comes as JSON (decision 0014). */
function takesOnlyEvents(accept: string): boolean {
  return accept.split(',').every((range) => /^\s*text\/event-stream\s*(;|$)/i.test(range));
}
