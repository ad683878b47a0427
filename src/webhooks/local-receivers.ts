import { Injectable } from '@nestjs/common';
import type { PushAttempt } from './delivery/attempt/request.js';

/** A receiver of webhooks inside the service. */
export interface LocalReceiver {
  /** Whether a URL is one of the receiver: such a URL is never called. */
  owns(url: string): boolean;
  /** Whether webhooks of tasks of this owner may be sent to the URL. */
  isOpen(of: { readonly tenant: string; readonly owner: string }, url: string): Promise<boolean>;
  /** False when the receiver is gone. @param headers headers of the request */
  deliver(push: PushAttempt, url: string, headers: Readonly<Record<string, string>>): Promise<boolean>;
}

/** The receivers inside the service; features register theirs when it is constructed. */
@Injectable()
export class LocalReceivers {
  private readonly receivers: LocalReceiver[] = [];

  add(receiver: LocalReceiver): void {
    this.receivers.push(receiver);
  }

  /** The receiver that owns a URL. */
  of(url: string): LocalReceiver | undefined {
    return this.receivers.find((one) => one.owns(url));
  }
}
