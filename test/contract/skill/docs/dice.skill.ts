import { IsInt, Max, Min } from 'class-validator';
import { Type } from 'class-transformer';
import { completed, Skill, type SkillEvent, type SkillHandler, SkillSettings } from '@parley/sdk';

/** Variables of this skill. */
@SkillSettings()
export class DiceSettings {
  @Type(() => Number)
  @IsInt()
  @Min(2)
  @Max(100)
  readonly DICE_SIDES: number = 6;
}

/** Throws the dice; a test gives another one. */
export class Dice {
  throw(sides: number): number {
    return 1 + Math.floor(Math.random() * sides);
  }
}

@Skill({
  id: 'dice',
  name: 'Dice',
  description: 'Throws a dice.',
  tags: ['game'],
  providers: [Dice],
})
export class DiceSkill implements SkillHandler {
  constructor(
    private readonly dice: Dice,
    private readonly settings: DiceSettings,
  ) {}

  async *run(): AsyncGenerator<SkillEvent, void, void> {
    yield completed(String(this.dice.throw(this.settings.DICE_SIDES)));
  }
}
