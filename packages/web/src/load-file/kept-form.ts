import { LoadForm } from './load-form.svelte.ts';

let kept: { readonly user: string | null; readonly form: LoadForm } | undefined;

/**
 * Returns the form with what the user has entered before: it survives other pages and the end of the session. Another
 * user gets an empty one, because the form may have a password.
 */
export function formOf(user: string | null): LoadForm {
  if (kept === undefined || kept.user !== user) kept = { user, form: new LoadForm() };
  return kept.form;
}

/** Forgets the form, because its config is stored or the user starts again. */
export function forgetForm(): void {
  kept = undefined;
}
