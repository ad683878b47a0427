/** The skill that is an agent of AGENTS_FILE, for `call(remote('finance'), …)`. Callers of this service cannot name it. */
export function remote(agent: string): string {
  return `remote:${agent}`;
}
