import { IsOptional, IsString } from 'class-validator';
import { Setting } from '../platform/config/settings/setting.js';
import { Switch } from '../platform/config/checks/switch.js';

/** Webhooks, and the service's encryption, signatures and outgoing calls. */
export class PushSettings {
  @Setting(
    'Keys that encrypt the secrets of webhooks, id:base64 of 32 bytes each; the first encrypts. Processes that share a Redis need the same keys. If empty, webhooks work with ROLE=all only, with a key kept in DATA_DIR.',
  )
  @IsOptional()
  @IsString()
  readonly SECRET_KEYS?: string;

  @Setting(
    "Allowed receivers inside the network: host:port=CIDR, separated by ';'. A trailing '!http' allows plain http.",
  )
  @IsOptional()
  @IsString()
  readonly EGRESS_ALLOW?: string;

  @Setting('true: a URL must return a random validationToken before it is registered as a webhook.', {
    was: 'WEBHOOK_CHALLENGE',
  })
  @Switch()
  readonly challenge: boolean = false;
}
