import type { Command } from 'commander';
import { prepare, type Print } from '../in-service.js';

/** Commands for the agents that skills call. Each loads its needs when it runs. */
export function agentCommands(agents: Command, print: Print): void {
  agents
    .command('skills <agent>')
    .description('lists the skills of an agent, and whether each is exposed and as it was pinned')
    .action(async (agent: string) => {
      await prepare();
      const { showAgentSkills } = await import('./agent-skills.js');
      print(await showAgentSkills(agent));
    });
  agents
    .command('jwks <agent>')
    .description('prints the public key that the authorization server of an agent verifies this service with')
    .action(async (agent: string) => {
      await prepare();
      const { showClientKeys } = await import('./agent-keys.js');
      print(showClientKeys(agent));
    });
  agents
    .command('pin <agent> [skills...]')
    .description('shows exposed skills as the card describes them now; --write puts the definitions into AGENTS_FILE')
    .option('--write', 'changes the file: only after a look at the descriptions')
    .action(async (agent: string, skills: string[], options: { write?: boolean }) => {
      await prepare();
      const { pinAgentSkills } = await import('./agent-skills.js');
      print(await pinAgentSkills(agent, skills, options));
    });
}
