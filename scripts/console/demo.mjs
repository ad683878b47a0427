// npm run console:demo: a service with tasks in every state, and its console. Ctrl-C ends it.
import { once } from 'node:events';
import { seed, startSeeded } from '../../test/kit/console/seeded.mjs';

const { address, hooks, close } = await startSeeded();
try {
  await seed(address, hooks);
  console.log(`\nThe console of a service with tasks in every state:\n\n  ${address}/console\n\nCtrl-C ends it.`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
} finally {
  await close();
}
