/**
 * Python source that describes an exception as JSON for `ScriptProcess`, with the innermost line in the script. Both
 * the installed Python and the embedded one use it.
 */
export const PYTHON_EXPLAINED = `
def explained(error, path):
    syntax = isinstance(error, SyntaxError) and error.filename == path
    line = error.lineno if syntax else None
    frame = error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code.co_filename == path:
            line = frame.tb_lineno
        frame = frame.tb_next
    message = error.msg if syntax else str(error)
    return {'message': type(error).__name__ + ': ' + message if message else type(error).__name__, 'line': line}
`;
