import { describe, expect, it } from '@jest/globals';
import { codecV02, codecV03 } from './codec.js';

describe.each([codecV03, codecV02])('codec of $version', (codec) => {
  it('takes empty ids and lists as unset (M2)', () => {
    const message = {
      ...{
        kind: 'message',
        messageId: 'm',
        contextId: '',
        taskId: '',
        role: 'user',
        extensions: [],
        referenceTaskIds: [],
      },
      parts: [{ kind: 'text', text: '' }],
    };
    const configuration = { acceptedOutputModes: [], pushNotificationConfig: { id: '', url: 'u', token: '' } };
    const params = { message, configuration };
    expect(codec.decodeParams('SendMessage', { method: 'message/send', params })).toEqual({
      message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: '' }] },
      configuration: { taskPushNotificationConfig: { url: 'u' } },
    });
  });
});
