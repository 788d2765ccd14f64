import { Indexer, Type } from 'headrace';

/** Accepts a thousand documents per second, and encodes each as JSON. */
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
