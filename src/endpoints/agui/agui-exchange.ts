import type { A2AError } from '@parley/protocol/model/errors.js';
import type { OperationName } from '@parley/protocol/model/operations.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import type { CallName, RunningCall } from '../../http/binding/call-recorder.js';
import { Exchange } from '../../http/binding/exchange.js';
import { type TextAnswer } from '../../http/errors.js';
import type { Call } from '../../operations/call.js';
import { aguiFault } from './agui-faults.js';

/** The routes of a skill, and the operation by which each is counted. */
const OPERATION_OF = {
  run: 'SendStreamingMessage',
  connect: 'SubscribeToTask',
  cancel: 'CancelTask',
  capabilities: 'GetExtendedAgentCard',
} as const satisfies Readonly<Record<string, OperationName>>;

export type AguiRoute = keyof typeof OPERATION_OF;

/** What the guard has read of a request. */
export interface ReadRequest {
  readonly call: Call;
  readonly skill: SkillOptions;
  /** Undefined for a request without one. */
  readonly body: unknown;
}

/** A request of a page. */
export class AguiExchange extends Exchange {
  /** Set by the guard. */
  read: ReadRequest | undefined = undefined;
  /** The answer to a fault of a run that its page has to get as frames. */
  faultText: TextAnswer | undefined = undefined;

  constructor(
    running: RunningCall,
    private readonly route: AguiRoute,
  ) {
    super(running);
  }

  override get name(): CallName {
    return { binding: 'rest', operation: OPERATION_OF[this.route], dialect: '1.0' };
  }

  override fault(error: A2AError): TextAnswer {
    return this.faultText ?? aguiFault(error);
  }
}
