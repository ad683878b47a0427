import { completed, Skill, type SkillContext, type SkillEvent, type SkillHandler, working } from '@parley/sdk';

const DAY_MS = 86_400_000;

/** The mail server; a test gives another one. */
export class Mailer {
  readonly sent: string[] = [];

  send(mail: string): Promise<number> {
    return Promise.resolve(this.sent.push(mail));
  }
}

/** Sends an offer, waits for the answer, reminds once, and gives up. */
@Skill({
  id: 'remind',
  name: 'Remind',
  description: 'Sends an offer and waits up to two days for the answer.',
  tags: ['sales'],
  providers: [Mailer],
})
export class RemindSkill implements SkillHandler {
  constructor(private readonly mailer: Mailer) {}

  async *run({ text, step, now, sleep, waitFor }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const sentAt = await now();
    await step('offer', () => this.mailer.send(`Offer: ${text}`));
    yield working('The offer is sent.');

    let answer = await waitFor({ signal: 'answered', timeoutMs: DAY_MS });
    if (answer === undefined) {
      await step('reminder', () => this.mailer.send(`Reminder: ${text}`));
      yield working('A reminder is sent.');
      answer = await waitFor({ signal: 'answered', timeoutMs: DAY_MS });
    }
    if (answer === undefined) {
      yield completed('Nobody has answered.');
      return;
    }
    // The tax office wants an hour between answer and contract.
    await sleep(3_600_000);
    const hours = Math.round(((await now()) - sentAt) / 3_600_000);
    yield completed(`"${answer.text}", ${hours} hours after the offer.`);
  }
}
