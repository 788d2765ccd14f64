/**
 * The cases of stages.jsonl that Headrace decides differently, by name, and why. One that agrees with the
 * reference must not stand here.
 */
export const STAGE_DIFFERENCES: Readonly<Record<string, string>> = {
  'ApplyRegex/group that did not take part': 'a group without a match is no value',
  'ApplyRegex/null': 'null is passed over',
  'Concatenate/empty list': 'an empty list counts as a missing field',
  'CopyFields/isNested yes': 'every text that means true is a boolean',
  'CopyFields/update mode in capitals is the default': 'an unknown update mode is refused',
  'DropValues/objects': 'objects stay as they are',
  'EmitNestedChildren/child that is not an object': 'only the bad child is lost, with an error in the log',
  'pipeline/class without package': 'a short class name is enough',
};
