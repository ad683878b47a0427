import { defineFeature } from '../../http/binding/feature.js';
import { foreignOrigins } from '../../http/request/page-origins.js';
import { AGUI_HEAD_FAULTS, AGUI_PATH } from './agui-faults.js';
import { AguiModule } from './agui.module.js';
import { AguiSettings } from './agui.settings.js';
import { aguiExtension } from './capabilities.js';

/** Web pages with an AG-UI client at `/agui/{skill}`. */
export const aguiFeature = defineFeature({
  name: 'agui',
  title: 'Pages (AG-UI)',
  settings: AguiSettings,
  faults: AGUI_HEAD_FAULTS,
  isOn: ({ settings }) => settings.AGUI,
  card: aguiExtension,
  module: ({ settings }, { binding }) => binding && AguiModule.forRoot(settings, binding),
  onRequest: (start) =>
    foreignOrigins(start, {
      setting: 'agui.allowedOrigins',
      allowed: start.settings.allowedOrigins,
      takes: (path) => path.startsWith(`${AGUI_PATH}/`),
      methods: 'GET, POST, OPTIONS',
      headers: 'Authorization, Content-Type, Accept, Last-Event-ID, A2A-Extensions, Traceparent, X-Request-Id',
      exposed: 'WWW-Authenticate, Retry-After, X-Request-Id, Parley-Task-Id',
    }),
});
