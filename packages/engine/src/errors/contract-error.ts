import { HeadraceError } from './headrace-error.ts';

/**
 * Returns the error for a component that broke a rule of its interface, so that documents would be lost or wrong.
 * @param what names the component and what it did
 */
export function contractError(what: string, hint?: string): HeadraceError {
  return new HeadraceError('HR_COMPONENT_CONTRACT', what, hint === undefined ? {} : { hint });
}

/** Names the class of a component in messages. */
export function classOf(component: object): string {
  return component.constructor.name || 'a class without a name';
}

/** Names the kind of a value in messages. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return `${value}`;
  if (typeof value !== 'object') return `a ${typeof value}`;
  return value.constructor?.name === 'Document' ? 'a document' : Object.prototype.toString.call(value);
}

/** Throws if a component does not declare a whole number from 1, for example of calls at the same time. */
export function requireCount(component: object, property: string, value: unknown): void {
  if (Number.isInteger(value) && (value as number) >= 1) return;
  throw contractError(`${property} of ${classOf(component)} is ${String(value)}, not a whole number from 1`);
}
