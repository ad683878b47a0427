import { Agent, call, end, FlowAgent, from, result, sequential, when } from '@parley/sdk/agent';

interface State {
  readonly seat: { readonly seat: string };
  readonly payment: { readonly isPaid: boolean };
}

/** A saga: what it has booked is taken back if a later step fails, or if the task is canceled. */
@Agent({
  id: 'book_trip',
  name: 'Book a trip',
  description: 'Reserves a seat and pays for it; releases the seat if the payment fails.',
  tags: ['travel', 'agent'],
})
export class BookTripAgent extends FlowAgent {
  readonly flow = sequential<State>(
    call('reserve_seat', { as: 'seat', input: from.message(), undo: call('release_seat') }),
    call('pay_seat', { as: 'payment', input: from.state('seat'), undo: call('refund_seat') }),
    when(({ payment }) => !payment.isPaid, end.failed('The payment was refused.')),
    result('ticket', ({ seat }) => `Seat ${seat.seat}`),
  );
}
