import { IsString } from 'class-validator';
import { Agent, FlowAgent } from '@parley/sdk/agent';
import { agentTool, coordinator, Model, ModelTools } from '@parley/sdk/model';

export class TripAnswer {
  @IsString()
  readonly flight!: string;

  @IsString()
  readonly seat!: string;
}

/** A travel desk: the model chooses who does the work. */
@Agent({
  id: 'travel_desk',
  name: 'Travel desk',
  description: 'Plans and books trips by plane.',
  tags: ['travel', 'agent'],
  output: TripAnswer,
})
export class TravelDeskAgent extends FlowAgent {
  constructor(
    private readonly model: Model,
    private readonly skills: ModelTools,
  ) {
    super();
  }

  readonly flow = coordinator({
    model: this.model,
    skills: this.skills,
    instruction: 'You book flights. Find a flight first, then reserve a seat in it.',
    tools: [agentTool('find_flight'), agentTool('reserve_seat')],
    transfers: ['complaints'],
    output: TripAnswer,
  });
}
