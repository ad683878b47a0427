import { artifact, completed, Skill, type SkillContext, type SkillEvent, type SkillHandler } from '@parley/sdk';
import { PaymentInstructionDto, PaymentOrderDto } from '../dto/payment-instruction.dto.js';
import { paymentInstruction } from './pain-001.js';

/** Writes a credit transfer for a bank. It sends nothing: the upload of the file is the payment. */
@Skill({
  id: 'write_payment_instruction',
  name: 'Write a payment instruction',
  description:
    'Writes a credit transfer as a file for a bank (ISO 20022 pain.001): creditor, account, amount, date and reference. The same payment has the same EndToEndId each time.',
  tags: ['finance', 'payment'],
  inputModes: ['application/json'],
  outputModes: ['application/json', 'application/xml'],
  input: PaymentOrderDto,
  output: PaymentInstructionDto,
  effects: 'irreversible',
})
export class WritePaymentInstructionSkill implements SkillHandler {
  async *run({ input, now }: SkillContext<PaymentOrderDto>): AsyncGenerator<SkillEvent, void, void> {
    const { told, xml } = paymentInstruction(input, new Date(await now()));
    const raw = Buffer.from(xml).toString('base64');
    const file = { raw, mediaType: 'application/xml', filename: `${told.endToEndId}.xml` };
    yield artifact('instruction', [{ data: told, mediaType: 'application/json' }, file], {
      name: 'Payment instruction',
    });
    yield completed(`${told.amount} ${told.currency} to ${input.creditor}, on ${told.executionDate}`);
  }
}
