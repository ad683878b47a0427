import type { ClassConstructor } from 'class-transformer';
import { A2AError } from '../protocol/errors.js';
import type { OperationName, ParamsOf } from '../protocol/operations.js';
import type { Operation } from './operation.js';

/** The DTO class of an operation's params, and the operation itself. */
export interface OperationRow<O extends OperationName> {
  readonly params: ClassConstructor<ParamsOf<O> & object>;
  readonly operation: Operation<O>;
}

/** The operations of the protocol, all of them: a missing row does not compile. Type and injection token. */
export const OperationTable = Symbol('OperationTable');
export type OperationTable = { readonly [O in OperationName]: OperationRow<O> };

/** An operation of a capability that the card does not declare: always the capability's error (A2A 1.0 §3.3.4). */
export function undeclared(
  kind: 'PushNotificationNotSupported' | 'UnsupportedOperation',
  text: string,
): { execute(): Promise<never> } {
  return { execute: () => Promise.reject(new A2AError(kind, text)) };
}
