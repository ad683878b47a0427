/** The lines of a check, and how many of its facts do not hold. */
export class Findings {
  private wrong = 0;

  get faults(): number {
    return this.wrong;
  }

  /** @param more reasons, each printed once */
  say(name: string, holds: boolean, fact: string, more: readonly string[] = []): void {
    if (!holds) this.wrong += 1;
    console.log(`${holds ? 'ok  ' : 'FAIL'}  ${name}: ${fact}`);
    for (const line of new Set(more)) console.log(`        ${line}`);
  }

  /** Says what `work` resolves with, or why it failed. */
  async expect(name: string, work: () => Promise<string>): Promise<void> {
    await work().then(
      (fact) => {
        this.say(name, true, fact);
      },
      (error: unknown) => {
        this.say(name, false, error instanceof Error ? error.message : String(error));
      },
    );
  }
}
