import { Injectable } from '@nestjs/common';
import { CallerSlots } from '../../../http/caller-slots.js';

/** Live feeds of consoles: tabs of one person share one. */
@Injectable()
export class FeedSlots extends CallerSlots {
  constructor() {
    super({ subject: 'open consoles', most: 200, mostOfTenant: 100, mostOfCaller: 10 });
  }
}

/** Calls to other agents from playgrounds. Each holds at most 8 MiB of an answer. */
@Injectable()
export class CallSlots extends CallerSlots {
  constructor() {
    super({ subject: 'calls to other agents', most: 50, mostOfTenant: 25, mostOfCaller: 4 });
  }
}
