import { send } from '../request.js';

/** The ids of the skills of this agent, from its card. @throws RequestFailed, Unreachable */
export async function readSkills(): Promise<readonly string[]> {
  const response = await send('/.well-known/agent-card.json', { headers: { 'a2a-version': '1.0' } });
  const { skills = [] } = (await response.json()) as { readonly skills?: readonly { readonly id?: string }[] };
  return skills.flatMap(({ id }) => id ?? []);
}
