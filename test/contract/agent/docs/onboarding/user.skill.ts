import { IsBoolean, IsString } from 'class-validator';
import { artifact, rejected, Skill, type SkillContext, type SkillEvent, type SkillHandler } from '@parley/sdk';

export class User {
  @IsString()
  readonly name!: string;

  @IsString()
  readonly email!: string;
}

export class EmailInput {
  @IsString()
  readonly email!: string;
}

export class EmailCheck {
  @IsString()
  readonly email!: string;

  @IsBoolean()
  readonly isValid!: boolean;
}

/** A worker: one task, no state, a strict contract. */
@Skill({
  id: 'collect_user',
  name: 'Collect a user',
  description: 'Reads the name and the e-mail address of a new user from a text: "Ada, ada@example.com".',
  tags: ['user'],
  outputModes: ['application/json'],
  output: User,
})
export class CollectUserSkill implements SkillHandler {
  async *run({ text }: SkillContext): AsyncGenerator<SkillEvent, void, void> {
    const [name = '', email = ''] = text.split(',').map((part) => part.trim());
    if (email === '') yield rejected('Send a name and an e-mail address.');
    else yield artifact('user', [{ data: { name, email } }]);
  }
}

@Skill({
  id: 'validate_email',
  name: 'Validate an e-mail address',
  description: 'Says whether a text has the form of an e-mail address.',
  tags: ['user'],
  inputModes: ['application/json'],
  outputModes: ['application/json'],
  input: EmailInput,
  output: EmailCheck,
})
export class ValidateEmailSkill implements SkillHandler {
  async *run({ input: { email } }: SkillContext<EmailInput>): AsyncGenerator<SkillEvent, void, void> {
    yield artifact('check', [{ data: { email, isValid: /^[\w.-]+@[\w.-]+\.\w+$/.test(email) } }]);
  }
}
