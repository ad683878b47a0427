// The last resort: a Redis server in JavaScript that keeps everything in memory only. Reads the port and the password
// from the configuration file named by its argument.
import { readFileSync } from 'node:fs';
import { createRedisCommandExecutor, RedisServerState, Resp2Server } from 'js-redis-server/core';

const config = readFileSync(process.argv[2], 'utf8');
const [, port] = /^port (\d+)$/m.exec(config);
const [, requirepass] = /^requirepass (\S+)$/m.exec(config);

const { server } = new Resp2Server({
  server: new RedisServerState({ databaseCount: 16, requirepass }),
  executor: createRedisCommandExecutor(),
});
// The package's own `listen` would listen on all interfaces.
server.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
server.listen(Number(port), '127.0.0.1');
