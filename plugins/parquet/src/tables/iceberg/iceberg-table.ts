import { HeadraceError } from 'headrace/engine';
import type { FoundTable } from '../find-files.ts';

export function icebergFiles({ root }: FoundTable): never {
  throw new HeadraceError('HR_SOURCE_UNREADABLE', `${root.path} is an Iceberg table, which cannot be read yet`);
}
