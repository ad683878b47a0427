import type { Command } from 'commander';
import { prepare, type Print } from '../in-service.js';

/** Commands for the tool servers of skills. Each loads its needs when it runs. */
export function toolServerCommands(servers: Command, print: Print): void {
  servers
    .command('tools <server>')
    .description('lists the tools of a server, and whether each is listed and as it was pinned')
    .option('--tenant <name>', 'with the credential of this tenant')
    .action(async (server: string, { tenant }: { tenant?: string }) => {
      await prepare();
      const { showTools } = await import('./tool-pins.js');
      print(await showTools(server, tenant));
    });
  servers
    .command('pin <server> [tools...]')
    .description(
      'shows listed tools as their server describes them now, and their pins; --write puts these into MCP_SERVERS_FILE',
    )
    .option('--tenant <name>', 'with the credential of this tenant')
    .option('--write', 'changes the file: only after a look at the descriptions')
    .action(async (server: string, tools: string[], options: { tenant?: string; write?: boolean }) => {
      await prepare();
      const { pinTools } = await import('./tool-pins.js');
      print(await pinTools(server, tools, options));
    });
  servers
    .command('secret <server>')
    .description('stores the credential of a tenant, read from standard input; without input, lists the tenants')
    .option('--tenant <name>', 'the tenant', 'default')
    .option('--remove', 'removes the credential')
    .action(async (server: string, options: { tenant: string; remove?: boolean }) => {
      await prepare();
      const { toolSecret } = await import('./tool-secret.js');
      print(await toolSecret(server, options));
    });
}
