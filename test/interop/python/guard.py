"""Wants a secret with every call, as a bearer token or as an API key; the card is open."""

from starlette.responses import PlainTextResponse

KEY_HEADER = 'X-Interop-Key'


class Guard:
    def __init__(self, app, secret):
        self.app = app
        self.wanted = {
            (b'authorization', f'Bearer {secret}'.encode()),
            (KEY_HEADER.lower().encode(), secret.encode()),
        }

    async def __call__(self, scope, receive, send):
        is_open = scope['type'] != 'http' or scope['path'].startswith('/.well-known/')
        if is_open or self.wanted.intersection(map(tuple, scope['headers'])):
            await self.app(scope, receive, send)
        else:
            await PlainTextResponse('Unauthorized', 401, {'WWW-Authenticate': 'Bearer'})(scope, receive, send)
