/** The answer of a page to `mayLeave`. */
type LeaveGuard = (path: string) => boolean;

class Router {
  #url = $state.raw(new URL(window.location.href));
  #guard: LeaveGuard | undefined;
  #unsaved: (() => boolean) | undefined;

  constructor() {
    window.addEventListener('popstate', () => this.#returnTo(new URL(window.location.href)));
    window.addEventListener('beforeunload', (event) => {
      if (this.#unsaved?.() === true) event.preventDefault();
    });
    document.addEventListener('click', (event) => this.#followLink(event));
  }

  /** The current address. Components that read it are updated when it changes. */
  get url(): URL {
    return this.#url;
  }

  get path(): string {
    return this.#url.pathname;
  }

  /** Returns a parameter of the query, or an empty text. */
  query(name: string): string {
    return this.#url.searchParams.get(name) ?? '';
  }

  /** Returns whether the page may be left for another path. Asks the user if there are unsaved changes. */
  mayLeave(path: string): boolean {
    return this.#guard?.(path) ?? true;
  }

  /** Opens a page of the application. */
  open(target: string, { replace = false }: { replace?: boolean } = {}): void {
    const url = new URL(target, this.#url);
    if (url.href === this.#url.href) return;
    if (url.pathname !== this.#url.pathname && !this.mayLeave(url.pathname)) return;
    if (replace) history.replaceState(null, '', url);
    else history.pushState(null, '', url);
    const isOtherPage = url.pathname !== this.#url.pathname;
    this.#url = url;
    if (isOtherPage) window.scrollTo(0, 0);
  }

  /** Changes the query of the current address. An empty value removes a parameter. Adds no step to the history. */
  setQuery(values: Readonly<Record<string, string>>): void {
    const url = new URL(this.#url);
    for (const [name, value] of Object.entries(values)) {
      if (value === '') url.searchParams.delete(name);
      else url.searchParams.set(name, value);
    }
    this.open(url.href, { replace: true });
  }

  /**
   * Protects unsaved changes: `guard` asks before the page is left, and the browser asks before the tab is closed while
   * `unsaved` returns true. Returns a function that removes both.
   */
  protect(guard: LeaveGuard, unsaved: () => boolean): () => void {
    this.#guard = guard;
    this.#unsaved = unsaved;
    return () => {
      if (this.#guard !== guard) return;
      this.#guard = undefined;
      this.#unsaved = undefined;
    };
  }

  #returnTo(url: URL): void {
    if (url.pathname !== this.#url.pathname && !this.mayLeave(url.pathname)) {
      history.pushState(null, '', this.#url);
      return;
    }
    this.#url = url;
  }

  /** Opens links to pages of the application without loading the document again. */
  #followLink(event: MouseEvent): void {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element | null)?.closest('a');
    if (link === null || link === undefined || link.target !== '' || link.hasAttribute('download')) return;
    const url = new URL(link.href, this.#url);
    if (url.origin !== this.#url.origin || link.dataset['external'] !== undefined) return;
    event.preventDefault();
    this.open(url.href);
  }
}

/** The address of the page. */
export const router = new Router();
