import type { Json } from '@parley/protocol/model/json.js';
import type {
  OperationName,
  ParamsOf,
  ResultOf,
  StreamingOperation,
  UnaryOperation,
} from '@parley/protocol/model/operations.js';
import type { Call } from './call.js';

/** One event of an answer that is a stream. */
export interface StreamedEvent<O extends StreamingOperation> {
  /** `<seq>-<nonce>`: resumes the stream after this event. Absent for a snapshot, which is not in the log. */
  readonly id?: string;
  readonly event: Json<ResultOf<O>>;
}

/** The result of an operation: a value, or for streaming operations a sequence of events. */
export type AnswerOf<O extends OperationName> = O extends StreamingOperation
  ? AsyncIterableIterator<StreamedEvent<O>, void, void>
  : O extends UnaryOperation
    ? Json<ResultOf<O>>
    : never;

/** A use case of the protocol. Its params are validated; it throws `A2AError` before any write. */
export interface Operation<O extends OperationName> {
  execute(params: ParamsOf<O>, call: Call): Promise<AnswerOf<O>>;
}
