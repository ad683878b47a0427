import { describe } from '@jest/globals';
import { RedisSentinel } from '../../support/redis-sentinel.js';
import { factsOn } from '../../support/topology-facts.js';

describe('on Redis with Sentinels', () => {
  factsOn(() => RedisSentinel.start());
});
