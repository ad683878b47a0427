import { Setting } from '../../platform/config/settings/setting.js';
import { Switch } from '../../platform/config/checks/switch.js';

/** OpenAI's API at /openai/v1 (docs/openai.md). */
export class OpenAiSettings {
  @Setting('true: the endpoint is on.')
  @Switch()
  readonly OPENAI: boolean = false;

  @Setting('true: takes requests with store: false. Tasks are stored nevertheless.')
  @Switch()
  readonly ignoreStore: boolean = false;
}
