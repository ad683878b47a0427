import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/kit/run/temporary-folder.mjs';
import { Fleet, type FleetOptions, type KillPoints } from './fleet.js';

const SECRET_KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`;

export interface TwoServicesOptions {
  /** Where each finds the other. */
  readonly urls: { readonly ours: string; readonly theirs: string };
  /** Processes of each service. */
  readonly processes: number;
  readonly standby: number;
  /** Members of AGENTS_FILE beside the card. */
  readonly agent?: Readonly<Record<string, unknown>>;
  /** Where processes of ours end themselves. */
  readonly killAt?: KillPoints;
}

/** Two services, each with a Redis of its own: the skill `errand` of ours calls the skill `tree` of theirs. */
export class TwoServices {
  private constructor(
    readonly ours: Fleet,
    readonly theirs: Fleet,
  ) {}

  static async start({ urls, processes, standby, agent = {}, killAt }: TwoServicesOptions): Promise<TwoServices> {
    const folder = temporaryFolder('chaos-remote');
    const file = join(folder, 'agents.json');
    await writeFile(file, JSON.stringify({ other: { card: urls.theirs, skill: 'tree', maxInFlight: 200, ...agent } }));
    const allow = Object.values(urls).map((url) => `${new URL(url).host}=127.0.0.1/32!http`);
    const start = (
      variables: Readonly<Record<string, string>>,
      points: Pick<FleetOptions, 'killAt'> = {},
    ): Promise<Fleet> =>
      Fleet.start({
        ...points,
        ...{ size: { all: processes }, standby: { all: standby }, taskOptions: { maxAttempts: 100 } },
        variables: { SECRET_KEYS, EGRESS_ALLOW: allow.join(';'), ...variables },
      });
    const theirs = await start({ PUBLIC_URL: urls.theirs });
    try {
      const points = killAt === undefined ? {} : { killAt: { all: killAt } };
      return new TwoServices(await start({ PUBLIC_URL: urls.ours, AGENTS_FILE: file }, points), theirs);
    } catch (error) {
      await theirs.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await Promise.all([this.ours.stop(), this.theirs.stop()]);
  }
}
