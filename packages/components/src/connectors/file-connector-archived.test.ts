import { StubServer } from '@headrace/testing/stub-server';
import { expect, it } from 'vitest';
import { folder, run, useFolder } from './file-connector.test.lib.ts';

useFolder();

it('FileConnector skips archived objects in each run, reports them, and reads them once they are restored', async () => {
  const classes: Record<string, string> = {
    'in/a.txt': 'STANDARD',
    'in/glacier.txt': 'GLACIER',
    'in/tiered.txt': 'INTELLIGENT_TIERING',
    'in/deep.zip': 'DEEP_ARCHIVE',
  };
  const stub = await StubServer.start(({ path }, response) => {
    if (path.includes('list-type')) {
      const objects = Object.entries(classes).map(
        ([key, name]) =>
          `<Contents><Key>${key}</Key><Size>2</Size><LastModified>2024-01-01T00:00:00.000Z</LastModified><StorageClass>${name}</StorageClass></Contents>`,
      );
      response.end(`<ListBucketResult>${objects.join('')}</ListBucketResult>`);
    } else if (path.includes('tiered') && classes['in/tiered.txt'] !== 'STANDARD') {
      const error = '<Code>InvalidObjectState</Code><AccessTier>ARCHIVE_ACCESS</AccessTier>';
      response.writeHead(403, { 'content-type': 'application/xml' }).end(`<Error>${error}</Error>`);
    } else response.end('ok');
  });
  const read = async () => {
    const { documents, rejected, publisher } = await run({
      paths: ['s3://bucket/in/'],
      s3: { endpoint: stub.url, accessKeyId: 'k', secretAccessKey: 's' },
      fileOptions: { handleArchivedFiles: true },
      filterOptions: { publishMode: 'incremental' },
      state: { connectionString: `jdbc:sqlite:${folder}/state.db` },
    });
    expect(rejected).toEqual([]);
    const notices = publisher.collector
      .list()
      .flatMap(({ code, class: itsClass, examples }) =>
        examples.map(({ file, hint }) => `${code} ${itsClass} ${file?.slice('s3://bucket/'.length)}: ${hint}`),
      );
    return { files: documents.map(({ file_path }) => file_path?.slice('s3://bucket/'.length)), notices };
  };
  const restore = 'Restore it with the tools of the provider; the next run then reads it.';
  const archived = [
    `file.archived loss in/glacier.txt: It is archived (GLACIER). ${restore}`,
    `file.archived loss in/deep.zip: It is archived (DEEP_ARCHIVE). ${restore}`,
    `file.archived loss in/tiered.txt: s3://bucket/in/tiered.txt is archived (ARCHIVE_ACCESS). ${restore}`,
  ];
  try {
    const first = await read();
    expect([first.files, first.notices.toSorted()]).toEqual([['in/a.txt'], archived.toSorted()]);
    const second = await read();
    expect([second.files, second.notices.toSorted()]).toEqual([[], archived.toSorted()]);
    classes['in/glacier.txt'] = classes['in/tiered.txt'] = 'STANDARD';
    const third = await read();
    expect([third.files, third.notices]).toEqual([['in/glacier.txt', 'in/tiered.txt'], [archived[1]]]);
  } finally {
    await stub.close();
  }
});
