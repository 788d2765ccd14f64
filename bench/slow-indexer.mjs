import { Indexer, Type } from 'headrace';

/** Takes a thousand documents a second, each of which is encoded as JSON. */
export class SlowIndexer extends Indexer {
  static parameters = Type.Object({});

  encoder() {
    return { url: import.meta.url, name: 'JsonEncoder', options: undefined };
  }

  async send(batch) {
    await new Promise((resolve) => setTimeout(resolve, batch.count));
    return [];
  }
}

export class JsonEncoder {
  encode(document) {
    return `${document.toJson()}\n`;
  }
}
