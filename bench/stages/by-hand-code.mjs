import { order } from './by-hand-structure.mjs';

const SCRIPT = `const words = doc.body.split(' ');
doc.words = words.length;
if (doc.price * doc.stock > 1000) doc.tags.push('big');
doc.label = doc.author + ': ' + doc.tags.join(', ');`;

/** Stages that run expressions and scripts. */
export const codeWork = {
  ApplyJSONata: async () => {
    const { default: jsonata } = await import('jsonata');
    const expression =
      '{"title": $uppercase(customer), "total": $sum(items.(price * quantity)), "cities": address.city}';
    const compiled = jsonata(expression);
    return {
      params: { expression, source: 'order', destination: 'summary' },
      fields: () => ({ order: order() }),
      async byHand(record) {
        record.summary = await compiled.evaluate(record.order);
      },
    };
  },

  ApplyJavascript: () => ({
    params: { script: SCRIPT },
    byHand: new Function('doc', SCRIPT),
  }),

  'ApplyJavascript in the sandbox': async () => {
    const { newQuickJSWASMModule } = await import('quickjs-emscripten');
    const runtime = (await newQuickJSWASMModule()).newRuntime();
    const context = runtime.newContext();
    const run = context.unwrapResult(
      context.evalCode(`(text) => { const doc = JSON.parse(text); ${SCRIPT}; return JSON.stringify(doc); }`),
    );
    return {
      params: { script: SCRIPT },
      trusted: false,
      byHand(record) {
        const text = context.newString(JSON.stringify(record));
        const result = context.unwrapResult(context.callFunction(run, context.undefined, text));
        Object.assign(record, JSON.parse(context.getString(result)));
        text.dispose();
        result.dispose();
      },
    };
  },
};
