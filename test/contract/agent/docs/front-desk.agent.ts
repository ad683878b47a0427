import { Agent, FlowAgent, result, route, sequential, transfer } from '@parley/sdk/agent';

interface State {
  readonly text: string;
  readonly room: string;
}

/** A transfer: the guest talks to another agent, which has the last word about bills; about rooms it gives the conversation back. */
@Agent({
  id: 'front_desk',
  name: 'Front desk',
  description: 'Hands a guest over to the agent for bills or for rooms.',
  tags: ['hotel', 'agent'],
})
export class FrontDeskAgent extends FlowAgent {
  readonly flow = route<State>(({ text }) => (/\bbill\b/i.test(text) ? 'bills' : 'rooms'), {
    bills: transfer('settle_bill', { after: 'stay' }),
    rooms: sequential<State>(
      transfer('choose_room', { as: 'room' }),
      result('welcome', ({ room }) => `You have ${room}. Enjoy your stay!`),
    ),
  });
}
