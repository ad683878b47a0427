import { Agent, call, end, FlowAgent, from, result, say, sequential, when } from '@parley/sdk/agent';
import type { EmailCheck, User } from './user.skill.js';

interface State {
  readonly user: User;
  readonly check: EmailCheck;
}

/** A pipeline: each step reads what the ones before it have left. */
@Agent({
  id: 'onboard_user',
  name: 'Onboard a user',
  description: 'Collects the data of a new user, and checks them.',
  tags: ['user', 'agent'],
  examples: ['Ada, ada@example.com'],
})
export class OnboardUserAgent extends FlowAgent {
  readonly flow = sequential<State>(
    call('collect_user', { as: 'user' }),
    say(({ user }) => `Checking the address of ${user.name}`),
    call('validate_email', { as: 'check', input: { email: from.state('user', 'email') } }),
    when(
      ({ check }) => !check.isValid,
      end.rejected(({ check }) => `${check.email} is no e-mail address.`),
    ),
    result('welcome', ({ user }) => `Welcome, ${user.name}!`),
  );
}
