import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';

/** Names this process among all that share a Redis; new at every start. Short: channels and logs of runs have it in every task. */
@Injectable()
export class ProcessIdentity {
  readonly id = randomBytes(6).toString('hex');
}
