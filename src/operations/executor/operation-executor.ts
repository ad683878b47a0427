import { setImmediate as nextLoopTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { activeExtensionHeaders, CardExtensions } from '../../agents/card/card-extensions.js';
import { AuditLog } from '../../audit/audit.log.js';
import { statedFields } from '../../platform/logging/call-fields.js';
import { addLineFields } from '../../platform/logging/line-fields.js';
import { type CallNames, callNamesOf } from '@parley/protocol/extension/context-extension.js';
import { CallerGate } from '../../auth/caller.gate.js';
import { isOwnTenant } from '../../auth/principal.js';
import { ConnectionSlots } from '../../limits/quotas/connection-slots.js';
import { A2AError, invalidParams } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import {
  isStreaming,
  type OperationName,
  type StreamingOperation,
  type UnaryOperation,
} from '@parley/protocol/model/operations.js';
import { PolicyRefusal, ruleText } from '../../policy/policies.js';
import type { Call } from '../call.js';
import type { AnswerOf, StreamedEvent } from '../operation.js';
import { OperationTable } from './operation-table.js';
import { SlottedEvents } from './slotted-events.js';
import { operationParams } from './validate.js';

/** Operations whose answer waits for a task, or for a direct skill. */
const MAY_WAIT: ReadonlySet<OperationName> = new Set<OperationName>(['SendMessage', 'CancelTask']);

const NOTHING = (): void => undefined;

/** Operations that store a large body. */
const STORES: ReadonlySet<OperationName> = new Set<OperationName>(['SendMessage', 'SendStreamingMessage']);

/** A permitted call. Only `OperationExecutor.permit` creates one, so that no binding can skip the check. */
class PermittedCall<O extends OperationName = OperationName> {
  /** Makes the type of this class nominal: no binding can create one. */
  protected readonly isPermitted = true;

  constructor(
    readonly name: O,
    readonly input: unknown,
    readonly call: Call,
  ) {}

  /** Whether the answer is a stream. */
  isStream(): this is PermittedCall<StreamingOperation> {
    return isStreaming(this.name);
  }
}

export type { PermittedCall };

/** A permitted call of an operation known only at run time; `isStream` distinguishes the two kinds of answers. */
export type AnyPermittedCall = PermittedCall<StreamingOperation> | PermittedCall<UnaryOperation>;

/**
 * Runs operations for every binding: rights and rates first, then the params, then the work; each has an audit line.
 */
@Injectable()
export class OperationExecutor {
  constructor(
    @Inject(OperationTable) private readonly table: OperationTable,
    private readonly gate: CallerGate,
    private readonly slots: ConnectionSlots,
    private readonly audit: AuditLog,
    private readonly extensions: CardExtensions,
  ) {}

  /**
   * Permits the operation to the caller, by scope and rate; reads nothing else.
   * @throws AuthError, RateLimitedError
   */
  async permit<O extends OperationName>(name: O, input: unknown, call: Call): Promise<PermittedCall<O>> {
    const taskId = taskOf(input);
    if (taskId !== undefined) call.facts.taskId = taskId;
    addLineFields(statedFields(namesIn(input)));
    const { actors } = call.principal;
    if (actors !== undefined) call.facts.actors = actors;
    if (!STORES.has(name)) call.stored?.();
    try {
      call.setHeaders(await this.gate.permit(call.principal, name));
    } catch (error) {
      this.record(name, call, error);
      throw error;
    }
    return new PermittedCall(name, input, call);
  }

  /** The same for an operation named by the call. */
  async permitAny(name: OperationName, input: unknown, call: Call): Promise<AnyPermittedCall> {
    return isStreaming(name) ? this.permit(name, input, call) : this.permit(name, input, call);
  }

  /** Throws `A2AError`; for a fault of the request before any write. */
  async run<O extends OperationName>(permitted: PermittedCall<O>): Promise<AnswerOf<O>> {
    const { name, call } = permitted;
    try {
      const answer = await this.execute(permitted);
      if (isStreaming(name)) await this.recordStream(name, call, answer as AsyncIterator<unknown, void, void>);
      else this.record(name, call);
      return answer;
    } catch (error) {
      this.gate.countRefusal(error);
      this.record(name, call, error);
      throw error;
    }
  }

  /** The task id is known after the call: a message that creates a task cannot contain it. */
  private record(operation: OperationName, call: Call, error?: unknown): void {
    const { principal: caller, facts, address } = call;
    const { requestId, taskId } = facts;
    const entry = { caller, address, operation, requestId, taskId };
    if (error !== undefined) {
      const reason = error instanceof PolicyRefusal ? { reason: ruleText(error.rule) } : {};
      this.audit.record({ ...entry, ...reason, code: error instanceof A2AError ? error.kind : 'InternalError' });
    } else if (call.answersAfterLines === true) this.audit.hold(entry);
    else this.audit.record(entry);
  }

  /** A stream begins once its line is written, and ends if that fails. */
  private async recordStream(
    operation: StreamingOperation,
    call: Call,
    events: AsyncIterator<unknown, void, void>,
  ): Promise<void> {
    try {
      this.record(operation, call);
      await this.audit.afterLines(NOTHING);
    } catch (error) {
      await events.return?.();
      throw error;
    }
  }

  private async execute<O extends OperationName>({ name, input, call }: PermittedCall<O>): Promise<AnswerOf<O>> {
    if (name !== 'GetExtendedAgentCard') this.activateExtensions(call);
    if (call.isLarge === true) await nextLoopTurn();
    const { operation, params: dto } = this.table[name];
    const params = await operationParams(dto, input);
    if (call.isLarge === true) await nextLoopTurn();
    if (!isOwnTenant(call.principal, params.tenant)) {
      throw invalidParams([{ field: 'tenant', description: 'is not a tenant of this caller' }]);
    }
    if (isStreaming(name)) return this.streaming(call, () => operation.execute(params, call));
    if (MAY_WAIT.has(name)) return this.waiting(call, () => operation.execute(params, call));
    return operation.execute(params, call);
  }

  /** Reading cards needs no required extension: callers learn of extensions from the card. */
  private activateExtensions(call: Call): void {
    const active = this.extensions.activated(call.extensions);
    call.setHeaders(activeExtensionHeaders(active, call.version));
  }

  /** Holds one of the caller's slots for waiting calls during the call. */
  private async waiting<A>(call: Call, work: () => Promise<A>): Promise<A> {
    const free = this.slots.take('waiting-call', call.principal);
    try {
      return await work();
    } finally {
      free();
    }
  }

  /** Holds one of the caller's slots for open streams from before the stream begins until it has ended. */
  private async streaming<A>(call: Call, open: () => Promise<A>): Promise<A> {
    const free = this.slots.take('stream', call.principal);
    try {
      const events = (await open()) as AsyncIterator<StreamedEvent<StreamingOperation>, void, void>;
      return new SlottedEvents(events, free) as A;
    } catch (error) {
      free();
      throw error;
    }
  }
}

/** The names stated by the message of an unchecked call; its caller comes from the credential. */
function namesIn(input: unknown): CallNames {
  const { message } = (input ?? {}) as { message?: { metadata?: unknown } | null };
  if (typeof message?.metadata !== 'object' || message.metadata === null) return {};
  const { caller: _claimed, ...names } = callNamesOf({ metadata: message.metadata as JsonObject });
  return names;
}

/** The task named by a call, before its params are checked. */
function taskOf(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const { id, taskId, message } = input as { id?: unknown; taskId?: unknown; message?: { taskId?: unknown } | null };
  const named = taskId ?? message?.taskId ?? id;
  return typeof named === 'string' && named !== '' ? named : undefined;
}
