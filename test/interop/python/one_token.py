"""Gives the client's own AuthInterceptor one token for every scheme that a card names."""

from a2a.client.auth import AuthInterceptor, CredentialService


class OneToken(CredentialService):
    def __init__(self, token):
        self.token = token

    async def get_credentials(self, security_scheme_name, context):
        return self.token


def interceptors_with(token):
    return [] if token is None else [AuthInterceptor(OneToken(token))]
