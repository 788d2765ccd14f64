import type { Store } from '../store/store.ts';

/** One reason why the service may not be ready. */
export interface ReadinessCheck {
  name: string;
  ok: boolean;
  message?: string;
}

/** Whether the service can do its work. Answers from what is known: it waits for nothing. */
export class Readiness {
  presetsLoaded = false;
  shuttingDown = false;
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  checks(): ReadinessCheck[] {
    const { failure } = this.#store;
    return [
      check('store', failure === undefined, failure),
      check('presets', this.presetsLoaded, 'The presets are being loaded'),
      check('running', !this.shuttingDown, 'The service is shutting down'),
    ];
  }
}

function check(name: string, ok: boolean, message: string | undefined): ReadinessCheck {
  return { name, ok, ...(ok || message === undefined ? {} : { message }) };
}
