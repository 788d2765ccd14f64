export { packRecords, unpackRecords } from './packed-records.ts';
export { idOfRecord, type XmlRecord } from './xml-record.ts';
export { XmlRecordFinder } from './xml-record-finder.ts';
export { splitXml, type XmlPart, type XmlSplitOptions } from './xml-splitter.ts';
export { XmlSyntaxError } from './xml-syntax-error.ts';
