import { IsString } from 'class-validator';
import { agent, askPerson, handsTo, skill, tool } from '@parley/sdk/model';

export class CityInput {
  @IsString()
  readonly city!: string;
}

export class TripAnswer {
  @IsString()
  readonly flight!: string;

  @IsString()
  readonly seat!: string;
}

/** A travel desk: the model chooses what is done, and by whom. */
export const TravelDesk = agent({
  id: 'travel_desk',
  description: 'Plans and books trips by plane.',
  instruction: 'You book flights. Find a flight first, then reserve a seat in it.',
  tools: [
    tool({
      name: 'weather',
      description: 'Tells the weather of a city.',
      input: CityInput,
      effects: 'none',
      run: async ({ city }, { fetch }) => {
        const response = await fetch(`https://weather.example.com/today?city=${encodeURIComponent(city)}`);
        return response.text();
      },
    }),
    skill('find_flight'),
    skill('reserve_seat', { approval: true }),
    askPerson(),
  ],
  agents: [handsTo('complaints')],
  output: TripAnswer,
});
