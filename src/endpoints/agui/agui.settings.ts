import { IsIn, IsOptional, IsString } from 'class-validator';
import { Setting } from '../../platform/config/settings/setting.js';
import { Switch } from '../../platform/config/checks/switch.js';
import { WholeNumber } from '../../platform/config/checks/numbers.js';

/** The end of a connection of a page: its task continues, or is canceled. */
const ON_DISCONNECT = ['continue', 'cancel'] as const;

/** Pages with an AG-UI client at /agui/{skill} (docs/pages.md). */
export class AguiSettings {
  @Setting('true: the endpoint is on.')
  @Switch()
  readonly AGUI: boolean = false;

  @Setting(
    'Origins of web pages that may call /agui, separated by commas. Others are refused; programs send no origin.',
  )
  @IsOptional()
  @IsString()
  readonly allowedOrigins?: string;

  @Setting('What a task does when its page disconnects: continue | cancel. A page may state it for a run.')
  @IsIn(ON_DISCONNECT)
  readonly onDisconnect: (typeof ON_DISCONNECT)[number] = 'continue';

  @Setting('Tasks of a conversation whose messages a page gets when it is opened again.')
  @WholeNumber(1, 100)
  readonly history: number = 50;
}
