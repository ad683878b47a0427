import { describe } from '@jest/globals';
import { RedisCluster } from '../../support/redis-cluster.js';
import { factsOn } from '../../support/topology-facts.js';

describe('on a Redis Cluster', () => {
  factsOn(() => RedisCluster.start());
});
