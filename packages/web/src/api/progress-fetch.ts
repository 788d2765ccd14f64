/**
 * Returns a function that sends requests as `fetch` does, and reports how many bytes of a body have been sent. `fetch`
 * itself cannot say that.
 */
export function fetchWithProgress(onSent: (bytes: number) => void): typeof fetch {
  return (input, init) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open(init?.method ?? 'GET', input instanceof Request ? input.url : input);
      for (const [name, value] of new Headers(init?.headers)) request.setRequestHeader(name, value);
      request.upload.addEventListener('progress', ({ loaded }) => onSent(loaded));
      request.addEventListener('load', () => {
        const type = request.getResponseHeader('content-type');
        const headers = new Headers(type === null ? [] : [['content-type', type]]);
        resolve(new Response(request.responseText || null, { status: request.status, headers }));
      });
      // What `fetch` throws if there is no answer.
      request.addEventListener('error', () => reject(new TypeError('The request was not answered')));
      request.send(init?.body as Blob);
    });
}
