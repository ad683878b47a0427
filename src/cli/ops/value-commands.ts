import type { Command } from 'commander';
import { inService, prepare, type Print } from './in-service.js';

/** `parley ops values …`: the values that skills read as `app:<name>`. */
export function valueCommands(values: Command, print: Print): void {
  const ofTenant = (command: Command): Command => command.option('--tenant <name>', 'the tenant', 'default');
  ofTenant(values.command('list'))
    .description('lists the values that skills read as app:<name>')
    .action(async ({ tenant }: { tenant: string }) => {
      await prepare();
      const { listValues } = await import('./values.js');
      print(await inService((service) => listValues(service, tenant)));
    });
  ofTenant(values.command('set <name> <json>'))
    .description('sets a value, as JSON')
    .action(async (name: string, json: string, { tenant }: { tenant: string }) => {
      await prepare();
      const { setValue } = await import('./values.js');
      print(await inService((service) => setValue(service, { tenant, name, json })));
    });
  ofTenant(values.command('remove <name>'))
    .description('removes a value')
    .action(async (name: string, { tenant }: { tenant: string }) => {
      await prepare();
      const { removeValue } = await import('./values.js');
      print(await inService((service) => removeValue(service, { tenant, name })));
    });
}
