CREATE EXTENSION IF NOT EXISTS vector;

CREATE TABLE IF NOT EXISTS passages (
  id text PRIMARY KEY,
  parent_id text,
  file text,
  title text,
  page integer,
  headings text[],
  text text,
  embedding vector(384)
);

CREATE INDEX IF NOT EXISTS passages_parent ON passages (parent_id);
CREATE INDEX IF NOT EXISTS passages_embedding ON passages USING hnsw (embedding vector_cosine_ops);
