import { Agent, call, FlowAgent, from, sequential } from '@parley/sdk/agent';

const parcel = {
  id: 'send_parcel',
  name: 'Send a parcel',
  description: 'Packs and sends a parcel.',
  tags: ['shop', 'agent'],
};

/** As it was: tasks that have begun with it are run by it until they end. */
@Agent(parcel)
export class SendParcelV0Agent extends FlowAgent {
  readonly flow = sequential(call('pack_parcel', { input: from.message() }), call('ship_parcel'));
}

/** The present version weighs each parcel. */
@Agent({ ...parcel, version: 1, previous: [SendParcelV0Agent] })
export class SendParcelAgent extends FlowAgent {
  readonly flow = sequential(call('pack_parcel', { input: from.message() }), call('weigh_parcel'), call('ship_parcel'));
}
