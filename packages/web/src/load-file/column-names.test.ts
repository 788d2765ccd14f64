import { expect, it } from 'vitest';
import { addHeader, nameEmptyColumns } from './column-names.ts';

async function named(text: string | Uint8Array<ArrayBuffer>) {
  const result = await nameEmptyColumns(new Blob([text]));
  return result && { text: await result.content.text(), names: result.names };
}

it('columns without a name get one, and nothing else changes', async () => {
  expect(await named(',name,price\n0,Chair,1\n')).toEqual({
    text: 'column_1,name,price\n0,Chair,1\n',
    names: ['column_1'],
  });
  expect(await named('\ufeffgröße;"";a;\r\n1;2;3;4\r\n')).toEqual({
    text: 'größe;column_2;a;column_4\r\n1;2;3;4\r\n',
    names: ['column_2', 'column_4'],
  });
  expect(await named('"a\n,";column_2;\n')).toEqual({ text: '"a\n,";column_2;column_3\n', names: ['column_3'] });
  expect(await named(',column_1\n')).toEqual({ text: 'column_1_,column_1\n', names: ['column_1_'] });
});

it('the bytes of the names stay as they are in any encoding', async () => {
  // In windows-1252, 0xfc is ü. In UTF-8 it is invalid.
  const result = await nameEmptyColumns(new Blob([new Uint8Array([0xfc, 0x3b, 0x0a, 0xfc, 0x3b, 0x31])]));
  expect([...((await result?.content.bytes()) ?? [])]).toEqual([
    0xfc,
    0x3b,
    ...Buffer.from('column_2'),
    0x0a,
    0xfc,
    0x3b,
    0x31,
  ]);
});

it('files with all names, without any, of another format or in UTF-16 stay as they are', async () => {
  for (const text of ['a,b\n1,2\n', '\n1,2\n', '', ',,\n1,2,3\n', '{"a": 1,\n "b": 2}', '[1,,2]'])
    expect(await named(text), text).toBeUndefined();
  expect(await named(new Uint8Array(Buffer.from(',a\n', 'utf16le')))).toBeUndefined();
  expect(await named(`,${'a'.repeat(70_000)}\n`)).toBeUndefined();
});

it('a file without a header gets one', async () => {
  const result = await addHeader(new Blob(['\ufeff1;"a;b";x\n2;c;y\n']));
  expect([...((await result?.content.bytes()) ?? [])].slice(0, 3)).toEqual([0xef, 0xbb, 0xbf]);
  expect(await result?.content.text()).toBe('column_1;column_2;column_3\n1;"a;b";x\n2;c;y\n');
  expect(await addHeader(new Blob(['']))).toBeUndefined();
});
