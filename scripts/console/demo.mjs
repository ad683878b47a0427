// npm run demo -- console: a service with tasks in every state, one of whose processes was killed, and its console. Ctrl-C ends it.
import { once } from 'node:events';
import { seed, startSeeded } from '../../test/kit/console/seeded.mjs';

const { address, hooks, loseWorker, close } = await startSeeded({}, { isShared: true });
try {
  await seed(address, hooks);
  const taken = await loseWorker();
  console.log(`\nThe console of a service with tasks in every state:\n\n  ${address}/console`);
  console.log(
    `\nThe process that ran this task was killed, and another one goes on with it:\n\n  ${address}/console/tasks/${taken}`,
  );
  console.log('\nCtrl-C ends it.');
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
} finally {
  await close();
}
