import { parseRedisAddress } from '../../config/checks/redis-address.js';
import { LiveSecret } from '../../config/variables/live-secret.js';
import type { RedisOptions } from '../redis.options.js';

/** The address of Redis at present: its file may get other credentials while the process runs. */
export function presentAddress(options: Pick<RedisOptions, 'address' | 'addressFile'>): () => string {
  const parse = (text: string): string => {
    parseRedisAddress(text);
    return text;
  };
  const secret = new LiveSecret({ name: 'REDIS_URL', text: options.address, file: options.addressFile, parse });
  return () => secret.current;
}
