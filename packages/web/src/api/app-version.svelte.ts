import { connection } from './connection.svelte.ts';

/** Finds out whether the service was updated since this tab loaded the application. Its old code is then gone. */
class AppVersion {
  #outdated = $state(false);

  constructor() {
    // Vite reports code that could not be loaded.
    window.addEventListener('vite:preloadError', () => void this.#check());
    connection.onReturn(() => void this.#check());
  }

  /** Whether the service has another version of the application than this tab. */
  get outdated(): boolean {
    return this.#outdated;
  }

  async #check(): Promise<void> {
    try {
      const response = await fetch('/', { credentials: 'omit', cache: 'no-store' });
      const own = document.querySelector('script[type="module"][src]')?.getAttribute('src');
      // The name of the code changes with its content. A browser does not request code again that it could not load, so
      // that the tab stays outdated even if the old version returns.
      if (response.ok && typeof own === 'string' && !(await response.text()).includes(own)) this.#outdated = true;
    } catch {
      connection.reportLoss();
    }
  }
}

/** Whether the application in this tab is the one of the service. */
export const appVersion = new AppVersion();
