import { Injectable } from '@nestjs/common';
import { CallerSlots } from '../../../http/caller-slots.js';

/** Live feeds of consoles: tabs of one person share one. */
@Injectable()
export class FeedSlots extends CallerSlots {
  constructor() {
    super({ subject: 'open consoles', most: 200, mostOfTenant: 100, mostOfCaller: 10 });
  }
}
