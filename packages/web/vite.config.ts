import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type ProxyOptions } from 'vite';

/** The service that `npm run web` uses. */
const service = process.env.HEADRACE_URL ?? 'http://localhost:8080';

/** The service refuses requests of other origins. In development, the page has another port, so the proxy hides it. */
const toService: ProxyOptions = {
  target: service,
  changeOrigin: true,
  configure: (proxy) => {
    proxy.on('proxyReq', (request) => {
      request.removeHeader('origin');
      request.removeHeader('sec-fetch-site');
    });
  },
};

export default defineConfig({
  plugins: [svelte()],
  resolve: { conditions: ['@headrace/source', 'browser', 'module', 'import', 'default'] },
  build: {
    // The service serves these files.
    outDir: '../service/web',
    emptyOutDir: true,
    target: 'es2022',
    // Inlined files would need `data:` in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    // Otherwise each build prints that most of its time is spent in the compiler of Svelte.
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  server: { proxy: { '/v1': toService, '/swagger': toService, '/openapi.json': toService, '/metrics': toService } },
});
