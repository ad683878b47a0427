import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';

/** Names this process among all that share a Redis; new at every start. */
@Injectable()
export class ProcessIdentity {
  readonly id = randomUUID();
}
