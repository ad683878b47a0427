import { describe } from '@jest/globals';
import { RedisSentinel } from '../../kit/redis/topology/redis-sentinel.js';
import { factsOn } from '../../kit/redis/topology/topology-facts.js';

describe('on Redis with Sentinels', () => {
  factsOn(() => RedisSentinel.start());
});
