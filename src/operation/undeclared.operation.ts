import { A2AError } from '../protocol/errors.js';

/** An operation of a capability that the card does not declare: always the capability's error (A2A 1.0 §3.3.4). */
export class UndeclaredOperation {
  constructor(
    private readonly kind: 'PushNotificationNotSupported' | 'UnsupportedOperation',
    private readonly text: string,
  ) {}

  execute(): Promise<never> {
    return Promise.reject(new A2AError(this.kind, this.text));
  }
}
