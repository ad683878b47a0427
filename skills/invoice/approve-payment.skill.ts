import { Inject, Optional } from '@nestjs/common';
import { authRequired, completed, inputRequired, rejected, working } from '@parley/sdk';
import type { SkillEvent } from '@parley/sdk';
import { Skill, SkillFailure } from '@parley/sdk';
import type { SkillContext, SkillHandler, SkillSender } from '@parley/sdk';
import { answerQuestion } from './approval/answer-question.js';
import { approvalRequest } from './approval/approval-request.js';
import { decided, deciderOf, decisionMarkdown } from './approval/decision.js';
import type { Decided } from './approval/decision.js';
import { isPaymentCase, paymentCaseOf } from './approval/payment-case.js';
import type { PaymentCase } from './approval/payment-case.js';
import { sentAnswers } from './approval/sent-answers.js';
import { verdictOf } from './approval/verdict.js';
import { FileFetcher } from '@parley/sdk';
import { PaymentDecisionDto } from './dto/payment-decision.dto.js';
import { DEFAULT_INVOICE_OPTIONS, InvoiceOptions } from './invoice-options.js';
import { titleOf } from './markdown/invoice-markdown.js';
import { INPUT_MODES, OUTPUT_MODES, artifactsOf } from './output-modes.js';
import { judged, readSentInvoice } from './reading.js';

/** Where the case waits between the turns of its task. */
const CASE = 'payment-case';

/** Decides on the payment of one invoice: small and right ones by policy, all others by a human. */
@Skill({
  id: 'approve_payment',
  name: 'Approve payment',
  description:
    'Reads and checks an invoice and decides whether to pay it. At or above a configured amount, and whenever something ' +
    'is wrong with the invoice, a human is asked to approve or reject; the decision, by whom and when, is the result.',
  tags: ['finance', 'approval', 'payment', 'invoice', 'human-in-the-loop'],
  examples: ['Approve the payment of this invoice'],
  inputModes: INPUT_MODES,
  outputModes: OUTPUT_MODES,
  concurrency: 1,
  output: PaymentDecisionDto,
})
export class ApprovePaymentSkill implements SkillHandler {
  constructor(
    @Optional() @Inject(InvoiceOptions) private readonly options: InvoiceOptions = DEFAULT_INVOICE_OPTIONS,
    @Optional() @Inject(FileFetcher) private readonly fetcher?: FileFetcher,
  ) {}

  async *run(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    // The turn number distinguishes the request from an answer: after a crash the case of turn 1 is stored already,
    // and the request must not be taken for the answer to itself.
    if (context.turn === 1) yield* this.open(context);
    else yield* this.resume(context);
  }

  private async *open(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const outcome = yield* readSentInvoice(context, { options: this.options, fetcher: this.fetcher });
    if ('refusal' in outcome) {
      yield rejected(outcome.refusal);
      return;
    }
    yield working(`Checking ${titleOf(outcome.invoice)}`);
    const payment = paymentCaseOf(outcome.invoice, await judged(outcome.invoice, context), this.options);
    if ('refusal' in payment) {
      yield rejected(payment.refusal);
    } else if (payment.reasons.length === 0) {
      yield* this.decide(context, payment, { answer: { kind: 'approve' }, by: { kind: 'policy' } });
    } else {
      await context.state.set(CASE, payment);
      yield this.ask(payment);
    }
  }

  private async *resume(context: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const payment = await context.state.get(CASE);
    if (!isPaymentCase(payment)) throw new SkillFailure('The payment that was to be decided is no longer known.');
    const verdict = verdictOf(await sentAnswers(context), (sender) => this.mayDecide(sender));
    switch (verdict.kind) {
      case 'question':
        yield this.ask(payment, answerQuestion(verdict.text, payment));
        return;
      case 'unclear':
        yield this.ask(payment, `${verdict.why} The payment is still undecided.`);
        return;
      case 'decided':
        yield* this.decide(context, payment, { answer: verdict.answer, by: deciderOf(verdict.by) });
    }
  }

  private async *decide(
    context: SkillContext,
    payment: PaymentCase,
    verdict: Omit<Decided, 'at'>,
  ): AsyncGenerator<SkillEvent, void, void> {
    // Journalled with its time: a re-run returns the same decision, not a second one.
    const decision = await context.step('decision', () =>
      Promise.resolve(decided(payment, { ...verdict, at: new Date() })),
    );
    const name = `Decision on ${titleOf(payment.invoice)}`;
    const markdown = decisionMarkdown(decision);
    yield* artifactsOf({ id: 'decision', name, value: decision, markdown }, context.acceptedOutputModes);
    yield completed(`Payment ${decision.decision}: ${titleOf(payment.invoice)}.`);
  }

  private ask(payment: PaymentCase, first?: string): SkillEvent {
    const { approverLogin } = this.options;
    const said = first === undefined ? {} : { first };
    return approverLogin === undefined
      ? inputRequired(approvalRequest(payment, said))
      : authRequired(approvalRequest(payment, { ...said, loginUrl: approverLogin.url }));
  }

  /** With a login configured, only a person counts, and only one of those named. */
  private mayDecide({ subject }: SkillSender): boolean {
    const { approverLogin } = this.options;
    if (approverLogin === undefined) return true;
    if (subject === undefined) return false;
    return approverLogin.subjects.length === 0 || approverLogin.subjects.includes(subject);
  }
}
