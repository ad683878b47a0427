"""Parts and tasks of a2a-sdk 0.2 and 0.3, whose types are pydantic models of the JSON."""


def part_from(types, part):
    if 'text' in part:
        return types.Part(root=types.TextPart(text=part['text']))
    if 'data' in part:
        return types.Part(root=types.DataPart(data=part['data']))
    file = types.FileWithBytes(bytes=part['raw'], name=part.get('name'), mime_type=part.get('mediaType'))
    return types.Part(root=types.FilePart(file=file))


def task_of(task):
    parts = [part for artifact in task.artifacts or [] for part in parts_of(artifact)]
    return {'id': task.id, 'contextId': task.context_id, 'state': task.status.state.value, 'parts': parts}


def parts_of(artifact):
    return [part_of(part.root) for part in artifact.parts]


def part_of(part):
    if part.kind == 'text':
        return {'text': part.text}
    if part.kind == 'data':
        return {'data': part.data}
    described = {'name': part.file.name, 'mediaType': part.file.mime_type}
    return {'raw': part.file.bytes, **{name: value for name, value in described.items() if value is not None}}
