import { completed, Skill, type SkillContext, type SkillEvent, type SkillHandler, SkillRejection } from '@parley/sdk';

const DECISION = {
  type: 'object',
  properties: { approve: { type: 'boolean' }, reason: { type: 'string' } },
  required: ['approve'],
} as const;

/** Has large payments approved, and pays. */
@Skill({
  id: 'pay_amount',
  name: 'Pay an amount',
  description: 'Pays an amount in euros; 10,000 and more need an approval.',
  tags: ['finance'],
})
export class PayAmountSkill implements SkillHandler {
  async *run({ text, ask, call }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const amount = Number(text);
    if (amount >= 10_000) {
      const { value, sender } = await ask<{ approve: boolean }>({
        question: `Approve ${text} EUR?`,
        schema: DECISION,
        approvers: { scopes: ['payments.approve'] },
        timeoutMs: 3 * 86_400_000,
        onTimeout: 'reject',
      });
      if (!value.approve) throw new SkillRejection(`Not approved by ${sender?.subject ?? 'the caller'}.`);
    }
    const { text: receipt } = await call('transfer', { amount });
    yield completed(receipt);
  }
}
