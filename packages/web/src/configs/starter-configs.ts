/** A config that runs. Each block has a comment that says what belongs there. */
const STARTER = `# What to read.
connectors: [
  { name: numbers, class: SequenceConnector, pipeline: main, numDocs: 10 }
]

# How to transform each document.
pipelines: [
  {
    name: main
    stages: [
      { class: Concatenate, dest: title, formatString: "Document {id}" }
    ]
  }
]

# Where to write. Nop writes nothing.
indexer { type: Nop }
`;

/** A config with several stages that needs no file and no search engine. */
const EXAMPLE = `# An example without files and without a search engine. Open "Preview" to see each document after each stage.
# Then press "Save" and "Run".

# This connector makes 10,000 documents that have only an id.
connectors: [
  { name: numbers, class: SequenceConnector, pipeline: products, numDocs: 10000 }
]

pipelines: [
  {
    name: products
    stages: [
      # Fields with random values, as a file would have them.
      { class: AddRandomString, fieldName: color, rangeSize: 5 }
      { class: AddRandomInt, fieldName: stock, rangeStart: 0, rangeEnd: 100 }
      { class: SetStaticValues, staticValues { shop: "  Harbour street " } }

      # What one does with the fields of a file.
      { class: TrimWhitespace, fields: [shop] }
      { class: Concatenate, dest: title, formatString: "Product {id} in {shop}" }
      { class: ApplyJSONata, source: stock, destination: available, expression: "$ > 0" }
    ]
  }
]

# Nop writes nothing. For a search engine, replace it:
#   indexer { type: OpenSearch }
#   opensearch { url: "http://localhost:9200", index: products }
indexer { type: Nop }
`;

const EMPTY = `# What to read.
connectors: [
]

# How to transform each document.
pipelines: [
  {
    name: main
    stages: [
    ]
  }
]

# Where to write.
indexer {
}
`;

/** Returns the text of a new config: the one that the address names, or a short one that runs. */
export function starterConfig(name: string): string {
  if (name === 'example') return EXAMPLE;
  return name === 'empty' ? EMPTY : STARTER;
}
