import { PYTHON_EXPLAINED } from './python-explained.ts';

/**
 * The Python side of EmbeddedPython, in Pyodide: it defines `doc` and `rawDoc` for scripts. It evaluates to
 * `open_script`, which accepts the greeting, and returns the function for each request and the first line to write.
 * `doc` is a dict. Its changes are written to the document after the script, and before each call of `rawDoc`. `rawDoc`
 * calls the host, which has the document, and then reads `doc` again.
 */
export const EMBEDDED_PYTHON = `
import base64, builtins, json, math, sys, types
from collections.abc import Mapping, MutableMapping

def dumps(value):
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        # A list or object that the script changed in place may contain values that JSON lacks.
        return json.dumps(copied(value), allow_nan=False)

def copied(value):
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if math.isfinite(value):
            return float(value)
        return 'NaN' if math.isnan(value) else 'Infinity' if value > 0 else '-Infinity'
    if isinstance(value, Mapping):
        return Fields((str(key), copied(member)) for key, member in value.items())
    if isinstance(value, (list, tuple, set, frozenset)):
        return [copied(item) for item in value]
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode()
    if hasattr(value, 'isoformat'):
        text = value.isoformat()
        return text[:-6] + 'Z' if text.endswith('+00:00') else text
    raise TypeError('a value of the type %s cannot be the value of a field' % type(value).__name__)

def named(field, take, value):
    """Converts the value of a field. An error names the field."""
    try:
        return take(value)
    except (TypeError, ValueError, RecursionError) as error:
        kind = next(kind for kind in (TypeError, RecursionError, ValueError) if isinstance(error, kind))
        raise kind('field "%s": %s' % (field, error)) from None

class Fields(dict):
    """An object of the document, with its members as items and as attributes."""
    __slots__ = ()

    def __getattribute__(self, name):
        # A field hides a method of dict with the same name, except these two.
        if name in self and name != 'keys' and name != 'items':
            return self[name]
        return super().__getattribute__(name)

    def __getattr__(self, name):
        raise AttributeError('there is no field ' + name)

    def __setattr__(self, name, value):
        self[name] = value

    def __delattr__(self, name):
        if name not in self:
            raise AttributeError('there is no field ' + name)
        del self[name]

    def __copy__(self):
        return Fields(self)

    def __deepcopy__(self, memo):
        return copied(self)

class Refused(Exception):
    """An operation that the document rejects. Its message is complete."""
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code

def open_script(greeting, ask):
    settings = json.loads(greeting)
    name, reserved, methods = settings['name'], frozenset(settings['reserved']), settings['methods']
    state = types.SimpleNamespace()

    class Doc(Fields):
        __slots__ = ()

        def __setitem__(self, field, value):
            check(field)
            dict.__setitem__(self, field, named(field, copied, value))

        def __delitem__(self, field):
            check(field)
            dict.__delitem__(self, field)
            if self is state.doc:
                state.removed.append(field)

        clear = MutableMapping.clear
        pop = MutableMapping.pop
        popitem = MutableMapping.popitem
        setdefault = MutableMapping.setdefault
        update = MutableMapping.update

        def __ior__(self, other):
            self.update(other)
            return self

    def check(field):
        if not isinstance(field, str):
            raise TypeError('the name of a field must be a str')
        if field == '':
            raise Refused('HR_DOCUMENT_EMPTY_FIELD_NAME', 'Field name cannot be null or empty')
        if field in reserved:
            raise Refused('HR_DOCUMENT_RESERVED_FIELD', field + ' is a reserved field')

    def read(fields):
        """Replaces the fields by those of the document. Unchanged lists and objects stay the same."""
        doc, texts = state.doc, {}
        for field, value in dict.items(fields):
            if isinstance(value, (list, dict)):
                texts[field] = dumps(value)
                if field in doc and state.texts.get(field) == texts[field]:
                    fields[field] = dict.__getitem__(doc, field)
        dict.clear(doc)
        dict.update(doc, fields)
        state.before, state.texts, state.removed = fields, texts, []

    def changes():
        """Returns the changed fields as JSON, and marks them as unchanged."""
        written = []
        for field, value in dict.items(state.doc):
            if isinstance(value, (list, dict)):
                if field in reserved:
                    continue
                text = named(field, dumps, value)
                if state.texts.get(field) == text and field not in state.removed:
                    continue
                state.texts[field] = text
            elif field in state.before and state.before[field] is value and field not in state.removed:
                continue
            else:
                text = dumps(value)
            written.append(json.dumps(field) + ':' + text)
        removed = json.dumps(state.removed)
        state.before, state.removed = dict(state.doc), []
        return '{"removed":%s,"set":{%s}}' % (removed, ','.join(written))

    def method(what):
        def call(*args):
            request = '{"changes":%s,"method":%s,"args":%s}' % (changes(), json.dumps(what), dumps(args))
            answer = json.loads(ask('{"ask":' + request + '}'), object_hook=Fields)
            read(answer['document'])
            if 'refusal' in answer:
                raise Refused(answer['refusal']['code'], answer['refusal']['message'])
            return answer.get('value')
        return call

    def java_type(what):
        if what == 'com.kmwllc.lucille.core.UpdateMode':
            return update_mode
        raise TypeError('java.type("%s"): there are no Java classes here, only rawDoc and UpdateMode' % what)

    update_mode = types.SimpleNamespace(OVERWRITE='overwrite', APPEND='append', SKIP='skip')
    raw = types.SimpleNamespace(**{what: method(what) for what in methods})
    for what in 'js', 'pyodide_js':
        sys.modules.pop(what, None)
    java = types.ModuleType('java')
    java.type = java_type
    sys.modules['java'] = java
    names = {'__name__': '__main__', '__builtins__': builtins, 'rawDoc': raw, 'UpdateMode': update_mode}

    def error_of(error):
        if isinstance(error, KeyboardInterrupt):
            return {**explained(error, name), **settings['overdue']}
        if isinstance(error, Refused):
            return {**explained(error, name), 'message': str(error), 'code': error.code}
        return {**explained(error, name), 'fatal': isinstance(error, MemoryError)}

    try:
        code = compile(settings['source'], name, 'exec')
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        return None, json.dumps({'error': error_of(error)})

    def run(request):
        try:
            state.doc, state.texts = Doc(), {}
            read(json.loads(request, object_hook=Fields))
            names['doc'] = state.doc
            exec(code, names)
            return '{"value":' + changes() + '}'
        except BaseException as error:
            return json.dumps({'error': error_of(error)})

    return run, '{"value":"ready"}'
${PYTHON_EXPLAINED}
open_script
`;
