/** What all keys of BullMQ begin with; the braces keep a queue's keys in one slot of Redis Cluster. */
export const QUEUE_PREFIX = '{parley-queue}';
