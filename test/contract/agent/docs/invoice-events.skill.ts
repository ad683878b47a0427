import { IsNumber, IsString } from 'class-validator';
import { completed, Skill, type SkillContext, type SkillEvent, type SkillHandler } from '@parley/sdk';

export class ApprovedInvoice {
  @IsString()
  readonly id!: string;

  @IsNumber()
  readonly total!: number;
}

/** Announces what it has decided; it does not know who needs to hear of it. */
@Skill({
  id: 'approve_invoice',
  name: 'Approve an invoice',
  description: 'Approves invoices of at most 1,000.',
  tags: ['finance'],
  inputModes: ['application/json'],
  input: ApprovedInvoice,
})
export class ApproveInvoiceSkill implements SkillHandler {
  async *run({ input, publish }: SkillContext<ApprovedInvoice>): AsyncGenerator<SkillEvent, void, void> {
    const isApproved = input.total <= 1_000;
    publish(isApproved ? 'invoice.approved' : 'invoice.refused', input, { subject: input.id });
    yield completed(isApproved ? 'approved' : 'refused');
  }
}

/** Gets one task for each event of its type. */
@Skill({
  id: 'book_invoice',
  name: 'Book an invoice',
  description: 'Books approved invoices.',
  tags: ['finance'],
  inputModes: ['application/json'],
  input: ApprovedInvoice,
  on: 'invoice.approved',
})
export class BookInvoiceSkill implements SkillHandler {
  async *run({ input }: SkillContext<ApprovedInvoice>): AsyncGenerator<SkillEvent, void, void> {
    yield completed(`Booked ${input.id}`);
  }
}
