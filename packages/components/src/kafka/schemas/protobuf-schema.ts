import { HeadraceError } from '@headrace/engine';
import type protobuf from 'protobufjs';
import { loadLibrary } from '../../libraries/optional-library.ts';

/** A field of a message. */
export interface ProtobufField {
  readonly name: string;
  /** A scalar type of Protobuf, or the full name of a message or an enum. */
  readonly type: string;
  readonly repeated: boolean;
  /** The type of the keys if the field is a map. */
  readonly keyType?: string;
  /** True if a field that the message does not contain has its default value, as those of proto3 without `optional`. */
  readonly hasDefault: boolean;
}

/** A message of the file, in the order of the file, with its inner messages. */
interface MessageName {
  readonly name: string;
  readonly inner: readonly MessageName[];
}

/** A Protobuf schema as plain data. The names are full names without a dot at the start. */
export interface ProtobufSchema {
  readonly files: readonly MessageName[];
  /** The fields of each message, by number. */
  readonly messages: Readonly<Record<string, Readonly<Record<number, ProtobufField>>>>;
  /** The names of the values of each enum, by number. */
  readonly enums: Readonly<Record<string, Readonly<Record<number, string>>>>;
}

/** A file in the language of Protobuf. `name` is the path with which others import it. */
export interface ProtobufFile {
  readonly name: string;
  readonly text: string;
}

/** Confluent's serializers know this file, so the registry does not have it. */
const CONFLUENT_DECIMAL = `syntax = "proto3"; package confluent.type;
message Decimal { bytes value = 1; uint32 precision = 2; int32 scale = 3; }`;

/** Reads a Protobuf file and those that it imports. Throws `HR_DOCUMENT_TYPE` if they cannot be used. */
export async function readProtobufSchema(
  main: ProtobufFile,
  imported: readonly ProtobufFile[],
): Promise<ProtobufSchema> {
  const { default: library } = await loadLibrary('protobufjs');
  try {
    const root = new library.Root();
    for (const name of knownImports([...imported, main])) addKnownFile(library, root, name);
    for (const { text } of [...imported, main]) library.parse(text, root, { keepCase: true });
    root.resolveAll();
    return { files: filesOf(library, main.text), ...typesOf(library, root) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new HeadraceError('HR_DOCUMENT_TYPE', `the Protobuf schema cannot be used: ${reason}`);
  }
}

/** Returns the names of imported files that the registry does not have. */
function knownImports(files: readonly ProtobufFile[]): Set<string> {
  const names = files.flatMap(({ text }) =>
    Array.from(text.matchAll(/\bimport\s+(?:public\s+|weak\s+)?["']([^"']+)["']/g), ([, name = '']) => name),
  );
  return new Set(names).difference(new Set(files.map(({ name }) => name)));
}

function addKnownFile(library: typeof protobuf, root: protobuf.Root, name: string): void {
  if (name === 'confluent/type/decimal.proto') library.parse(CONFLUENT_DECIMAL, root, { keepCase: true });
  const known = library.common.get(name);
  if (known?.nested !== undefined) root.addJSON(known.nested);
}

/** Returns the messages of a file alone, in its order: messages are identified by their position in it. */
function filesOf(library: typeof protobuf, text: string): MessageName[] {
  const parsed = library.parse(text, new library.Root(), { keepCase: true });
  const space = parsed.package === undefined ? parsed.root : parsed.root.lookup(parsed.package);
  const inside = (parent: protobuf.ReflectionObject | null): MessageName[] =>
    parent instanceof library.Namespace
      ? parent.nestedArray
          .filter((one) => one instanceof library.Type)
          .map((type) => ({ name: type.fullName.slice(1), inner: inside(type) }))
      : [];
  return inside(space);
}

function typesOf(library: typeof protobuf, root: protobuf.Root): Pick<ProtobufSchema, 'messages' | 'enums'> {
  const messages: Record<string, Record<number, ProtobufField>> = {};
  const enums: Record<string, Record<number, string>> = {};
  const visit = (parent: protobuf.NamespaceBase): void => {
    for (const one of parent.nestedArray) {
      const name = one.fullName.slice(1);
      if (one instanceof library.Type) messages[name] = fieldsOf(library, one);
      if (one instanceof library.Enum) enums[name] = { ...one.valuesById };
      if (one instanceof library.Namespace) visit(one);
    }
  };
  visit(root);
  return { messages, enums };
}

function fieldsOf(library: typeof protobuf, type: protobuf.Type): Record<number, ProtobufField> {
  const fields: Record<number, ProtobufField> = {};
  for (const field of type.fieldsArray) {
    field.resolve();
    const isMap = field instanceof library.MapField;
    fields[field.id] = {
      name: field.name,
      type: field.resolvedType === null ? field.type : field.resolvedType.fullName.slice(1),
      repeated: field.repeated,
      ...(isMap ? { keyType: field.keyType } : {}),
      hasDefault: !field.repeated && !isMap && !field.hasPresence && !(field.resolvedType instanceof library.Type),
    };
  }
  return fields;
}
