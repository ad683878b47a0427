// A program that starts an embedded Redis on the data folder of its argument, prints the address, and lives on, whatever
// a terminal sends to it: a service in the middle of its shutdown.
import { startEmbeddedRedis } from '../../../src/platform/redis/embedded/embedded-redis.js';

process.on('SIGINT', () => undefined);
const [, , dataDir = ''] = process.argv;
const { url } = await startEmbeddedRedis({ dataDir, kind: 'redis' });
process.stdout.write(`${url}\n`);
setInterval(() => undefined, 60_000);
