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
  'NormalizeText/object and list with an object': 'objects have no letter case and go through as they are',
  'NormalizeText/sentence case other scripts': 'a sentence may start with a letter outside ASCII',
  'ParseDate/formatter month text abbreviated': 'a text that is no date after all is left out',
  'ParseDate/formatter pipes short year': 'a text that is no date after all is left out',
  'ParseDate/formatter two years short': 'a text that is no date after all is left out',
  'ParseDate/year and month only': 'what gives no full date is left out, with a warning',
  'ParseFloats/single precision': 'a list with a number beyond single precision is left alone, with a warning',
  'ParseJson/null value': 'null is no text to read',
  'ParseJson/object in the source': 'an object is read as it is',
  'RemoveDuplicateValues/to a scalar field': 'a single value is the first of the list',
  'RemoveEmptyFields/empty list': 'an empty list is an empty field',
  'RemoveEmptyFields/list that starts empty': 'a list is empty when all its values are',
  'RemoveEmptyFields/objects vanish': 'an object with keys is not empty',
  'ReplacePatterns/object and list with an object': 'objects go through as they are',
  'SetStaticValues/dotted key': 'objects may be set',
  'SetStaticValues/null value': 'null may be set',
  'SetStaticValues/object value': 'objects may be set',
  'TrimWhitespace/object': 'objects stay as they are',
  'TruncateField/list keeps the first only': 'every value of a list is cut',
  'TruncateField/splits a pair': 'half of a surrogate pair is left out',
  'pipeline/class without package': 'a short class name is enough',
};
