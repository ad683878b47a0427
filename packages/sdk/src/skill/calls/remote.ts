/** The skill that is an agent of AGENTS_FILE, for `call(remote('finance'), …)`. Callers of this service cannot name it. */
export function remote(agent: string): string {
  return `remote:${agent}`;
}

/** Whether a skill is an agent of another service. */
export function isRemote(skillId: string): boolean {
  return skillId.startsWith(remote(''));
}
