import { isRedisOutage } from '../../platform/redis/connection/redis-outage.js';
import { OperatorError } from './operator-error.js';

/**
 * Runs work of many changes, each of which is whole by itself. When Redis stops answering, the operator reads how far
 * it came. @param done says it at that moment
 */
export async function orHalfDone<T>(done: () => string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isRedisOutage(error)) throw error;
    throw new OperatorError(`${done()}, then Redis did not answer: repeat the command.`, { cause: error });
  }
}
