// Reads the OpenAPI document of the built service.
import { defaultSettings, startService } from '@headrace/service';

export async function openapiDocument() {
  const settings = {
    ...defaultSettings(),
    listeners: [{ host: '127.0.0.1', port: 0 }],
    storage: { type: 'memory' },
    // Authentication is on, because the document also describes how to log in.
    auth: { password: crypto.randomUUID(), users: [] },
  };
  const quiet = { level: 'silent', silent() {} };
  for (const level of ['trace', 'debug', 'info', 'warn', 'error', 'fatal']) quiet[level] = () => undefined;
  quiet.child = () => quiet;
  const service = await startService({ settings, catalogs: [], logger: quiet });
  try {
    return await (await fetch(`${service.urls[0]}/openapi.json`)).json();
  } finally {
    await service.close();
  }
}
