"""Answers the runner's calls: one JSON object a line, `{"operation", "args"}`, is answered by `{"value"}` or `{"error"}`."""

import asyncio
import json
import sys


async def serve(driver, answers=sys.stdout):
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        call = json.loads(line)
        try:
            answer = {'value': await getattr(driver, call['operation'])(*call['args'])}
        except Exception as error:  # Whatever the client throws is what its user sees.
            answer = {'error': f'{type(error).__name__}: {error}'}
        print(json.dumps(answer), file=answers, flush=True)
