import { describe } from '@jest/globals';
import { RedisSentinel } from '../../kit/redis-sentinel.js';
import { factsOn } from '../../kit/topology-facts.js';

describe('on Redis with Sentinels', () => {
  factsOn(() => RedisSentinel.start());
});
