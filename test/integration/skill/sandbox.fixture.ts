import { setTimeout as sleep } from 'node:timers/promises';
import { IsInt } from 'class-validator';
import { artifact, inputRequired, type SkillEvent, working } from '@parley/sdk/skill/events.js';
import { Skill, type SkillContext, SkillFailure, type SkillHandler } from '@parley/sdk/skill/skill.js';

/** What the skill of this fixture is asked to do. */
class Order {
  @IsInt()
  readonly number: number = 1;

  get doubled(): number {
    return this.number * 2;
  }
}

/** Does what its text says, so that a test can see each way in which a sandbox ends. */
@Skill({ id: 'boxed', name: 'Boxed', description: 'For tests', tags: [], sandboxed: true, input: Order, output: Order })
export class BoxedSkill implements SkillHandler {
  async *run(context: SkillContext<Order>): AsyncGenerator<SkillEvent, void, void> {
    yield working(`${String(process.pid)} ${String(process.send !== undefined)} ${JSON.stringify(process.env)}`);
    switch (context.text) {
      case 'use':
        yield* this.use(context);
        return;
      case 'simulated?':
        yield working(String(context.isSimulated));
        return;
      case 'fail':
        throw new SkillFailure('It cannot be done');
      case 'throw':
        throw new TypeError('A fault');
      case 'spin':
        for (;;);
      case 'wait':
        await sleep(60_000, undefined, { signal: context.signal }).catch(() => undefined);
        yield working('Aborted');
        return;
      case 'give up':
        await sleep(60_000, undefined, { signal: context.signal }).catch(() => undefined);
        return;
      case 'doze': {
        await context.sleep(86_400_000);
        const said = await context.waitFor();
        yield working(`${said?.text ?? 'nothing'} at ${String(await context.now())}`);
        return;
      }
      case 'fetch': {
        const response = await context.fetch('https://rates.example/eur', { json: { to: 'USD' } });
        yield working(`${String(response.status)} ${await response.text()}`);
        return;
      }
      case 'share':
        yield* this.share(context);
        return;
      case 'exit':
        process.exit(3);
        break;
      case 'bad output':
        yield artifact('number', [{ data: { number: 'x' } }]);
        return;
      case 'fill memory':
        this.fill();
    }
  }

  private async *use({ input, state, step, log }: SkillContext<Order>): AsyncGenerator<SkillEvent, void, void> {
    log.info('Counting', { from: 1 });
    await state.set('count', Number(await state.get('count')) + 1);
    const result = await step('once', () => Promise.resolve({ doubled: input.doubled }));
    yield artifact('number', [{ data: { number: result.doubled } }]);
    yield inputRequired('More?');
  }

  private async *share({ shared, artifacts }: SkillContext<Order>): AsyncGenerator<SkillEvent, void, void> {
    await shared().set('count', Number(await shared().get('count')) + 1);
    const kept = await shared('temp').setIfAbsent('own', 'mine');
    const reference = await artifacts.put('offers', 'two offers');
    const read = await artifacts.get(reference);
    const none = await artifacts.get('artifact:00000000-0000-4000-8000-000000000000/offers@1');
    yield working([kept, await shared('temp').get('own'), reference, read?.text, none === undefined].join(' '));
  }

  private fill(): void {
    const kept: number[][] = [];
    for (;;) {
      kept.push(new Array<number>(1_000_000).fill(kept.length));
    }
  }
}
