import { expect, it } from 'vitest';
import { parsed } from '../testing/parsed.ts';

const mail = (subject: string, body: string) =>
  `From ann@example.org Mon Jan  1 10:20:30 2024\nFrom: Ann <ann@example.org>\nTo: b@example.org\nSubject: ${subject}\n\n${body}\n`;

it('reads each mail of a mailbox with its subject', async () => {
  const { text, metadata } = await parsed(
    `${mail('One', 'Body one.')}\n${mail('=?utf-8?q?Gr=C3=BC=C3=9Fe?=', 'Body two.')}`,
  );
  expect(text).toBe('One\nBody one.\n\nGrüße\nBody two.\n');
  const fields = new Map(metadata);
  expect(fields.get('dc:title')).toEqual(['One', 'Grüße']);
  expect(fields.get('Message:Inner-Subject')).toEqual(['One', 'Grüße']);
  expect(fields.get('Content-Type')).toEqual(['application/mbox']);
});

it('takes a line of a text that begins with From for no new mail', async () => {
  const body = 'From here on it is text.\n\nFrom now on too.\n>From a quoted line at 10:20.\n>>From two of them.';
  expect((await parsed(mail('One', body))).text).toBe(
    'One\nFrom here on it is text.\n\nFrom now on too.\nFrom a quoted line at 10:20.\n>From two of them.\n',
  );
});

it('reads mailboxes with other line ends and other senders', async () => {
  const box = `${mail('One', 'Body one.')}\n${mail('Two', 'Body two.').replace('From ann@example.org', 'From - ')}`;
  expect((await parsed(box.replaceAll('\n', '\r\n'))).text).toBe('One\nBody one.\n\nTwo\nBody two.\n');
});

it('adds the subject of a mail that another mail forwards', async () => {
  const inner = 'From: c@example.org\nTo: d@example.org\nSubject: The inner one\n\nInner text.\n';
  const outer = `From: a@example.org\nTo: b@example.org\nSubject: Fwd\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nOuter text.\n--x\nContent-Type: message/rfc822\nContent-Disposition: attachment; filename="inner.eml"\n\n${inner}\n--x--\n`;
  const { text, metadata } = await parsed(outer);
  expect(text).toBe('Outer text.\ninner.eml\nThe inner one\nInner text.\n\n');
  expect(new Map(metadata).get('Message:Inner-Subject')).toEqual(['The inner one']);
  expect(new Map(metadata).get('dc:title')).toEqual(['Fwd']);
});

it('adds the subject of a mail that is a part of another mail without a name', async () => {
  const inner = 'From: c@example.org\nTo: d@example.org\nSubject: The inner one\n\nInner text.\n';
  const outer = `From: a@example.org\nTo: b@example.org\nSubject: Fwd\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nOuter text.\n--x\nContent-Type: message/rfc822\n\n${inner}\n--x--\n`;
  const { text, metadata } = await parsed(outer);
  expect(text).toBe('Outer text.\nThe inner one\nInner text.\n\n');
  expect(new Map(metadata).get('Message:Inner-Subject')).toEqual(['The inner one']);
});
