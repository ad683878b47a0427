import { describe } from '@jest/globals';
import { RedisCluster } from '../../kit/redis-cluster.js';
import { factsOn } from '../../kit/topology-facts.js';

describe('on a Redis Cluster', () => {
  factsOn(() => RedisCluster.start());
});
