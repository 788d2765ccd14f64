import { PYTHON_EXPLAINED } from './python-explained.ts';

/**
 * The Python side of ExternalPython, for `python3 -c`. The arguments are the script and the function. Each line of
 * standard input is a document. See `ScriptProcess` for the answers. Needs CPython 3.6 or later.
 */
export const EXTERNAL_PYTHON = String.raw`
import importlib.util, json, os, sys

def main(path, function_name):
    requests = os.fdopen(os.dup(0), 'rb')
    answers = os.fdopen(os.dup(1), 'wb')
    # From here on, standard input is empty. Output of the script, or of a process that it starts, is logged.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)
    sys.argv = [path]
    sys.path[:] = [os.path.dirname(path)] + [entry for entry in sys.path if entry]

    def answer(**members):
        answers.write(json.dumps(members, allow_nan=False).encode() + b'\n')
        answers.flush()

    try:
        process = load(path, function_name)
    except BaseException as error:
        answer(error=explained(error, path))
        return
    answer(value='ready')
    while True:
        request = requests.readline()
        if not request:
            return
        try:
            document = document_of(process(json.loads(request)), function_name)
            try:
                answer(value=document)
            except (TypeError, ValueError, RecursionError) as error:
                raise of_field(document, error) from None
        except BaseException as error:
            answer(error=explained(error, path))

def load(path, function_name):
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    function = getattr(module, function_name, None)
    if not callable(function):
        raise LookupError('the script has no function ' + function_name)
    return function

def of_field(document, error):
    # The error of the whole document does not name the field with the value.
    for field, value in document.items():
        try:
            json.dumps({field: value}, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as found:
            return type(found)('field "%s": %s' % (field, found))
    return error

def document_of(result, function_name):
    if result is None or result == '':
        return None
    if isinstance(result, str):
        try:
            document = json.loads(result)
        except ValueError as error:
            raise ValueError('%s returned a text that is not JSON: %s' % (function_name, error)) from None
        what = 'a text that contains no JSON object'
    else:
        document = result
        what = 'a value of the type ' + type(result).__name__
    if isinstance(document, dict):
        return document
    raise TypeError('%s returned %s; it must return a dict, which is the whole document, or None to leave it as it is'
                    % (function_name, what))
${PYTHON_EXPLAINED}
main(*sys.argv[1:])
`;
