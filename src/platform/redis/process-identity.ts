import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';

/**
 * The name of this process among all that share a Redis; new at every start. Short, because channels and run logs
 * contain it in every task.
 */
@Injectable()
export class ProcessIdentity {
  readonly id = randomBytes(6).toString('hex');
}
