"""Reads {"card", "keys"} and verifies the card with the official SDK for Python; exits with 1 if no signature holds."""

import json
import sys

from a2a.types import AgentCard
from a2a.utils.signing import create_signature_verifier
from google.protobuf.json_format import ParseDict
from jwt.api_jwk import PyJWK

given = json.load(sys.stdin)
keys = {key['kid']: PyJWK(key) for key in given['keys'] if key.get('alg') == 'ES256'}
card = ParseDict(given['card'], AgentCard(), ignore_unknown_fields=True)
create_signature_verifier(lambda kid, _jku: keys[kid], ['ES256'])(card)
