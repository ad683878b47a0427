import { completed, Skill, type SkillContext, type SkillEvent, SkillFailure, type SkillHandler } from '@parley/sdk';

@Skill({
  id: 'exchange_rate',
  name: 'Exchange rate',
  description: 'Tells how many dollars a euro is.',
  tags: ['money'],
})
export class ExchangeRateSkill implements SkillHandler {
  async *run({ fetch, step }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const rate = await step('rate', async () => {
      const response = await fetch('https://rates.example.com/latest?base=EUR', { timeoutMs: 5_000 });
      if (!response.ok) throw new SkillFailure('There is no rate today.');
      const { usd } = (await response.json()) as { usd: number };
      return usd;
    });
    yield completed(String(rate));
  }
}
