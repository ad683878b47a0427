import { IsEmail, IsString, Matches, MaxLength } from 'class-validator';
import { end, from, sequential, when } from '@parley/sdk/agent';
import { agent, llm, prompt } from '@parley/sdk/model';

export class NewUser {
  @IsString()
  readonly name!: string;

  @IsEmail()
  readonly email!: string;

  @MaxLength(20)
  @Matches(/^[a-z]+$/)
  readonly language!: string;
}

export const Onboarding = agent({
  id: 'onboard_by_text',
  description: 'Reads the data of a new user from a text and greets them.',
  flow: sequential<{ user: NewUser }>(
    llm({ as: 'user', instruction: 'Extract the user. The language is one English word.', output: NewUser }),
    when(({ user }) => user.email.endsWith('.invalid'), end.rejected('That is no address.')),
    llm({
      instruction: prompt`Greet the user in ${from.state('user', 'language')}.`,
      data: { user: from.state('user') },
    }),
  ),
});
