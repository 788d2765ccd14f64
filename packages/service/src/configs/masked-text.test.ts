import { describe, expect, it } from 'vitest';
import { maskedText } from './masked-text.ts';

describe('the masked text of a config', () => {
  it('differs from the upload only in the masked secrets', () => {
    const text = `# the old password: hunter1
connectors: [{ # one
  class: A, password: "hunter2", "apiKey" = abc-1234
  url: "https://mary:hunter3@db:80/x?token=t0p&n=1"
  list: ["jdbc:x?password=hunter2;a=b"]
}]
mail.password = hunter2  // again hunter2
copy: \${mail.password}
secret: """a"b
c""", token = null
empty {}
`;
    expect(maskedText(text, 'hocon')).toBe(`# the old password: ******
connectors: [{ # one
  class: A, password: "******", "apiKey" = "******"
  url: "https://******:******@db:80/x?token=******&n=1"
  list: ["jdbc:x?password=******;a=b"]
}]
mail.password = "******"  // again ******
copy: \${mail.password}
secret: "******", token = null
empty {}
`);
  });

  it('shows a value whose key is masked only among headers or environment variables', () => {
    const text = `stages: [{ class: FetchUri, headers { name: abc-1234, "X-Id" = ${'${id}'} }, name: fetch }] # name: yes
env { level: top }, log.level = info, id = 12
name = "plain" // again
`;
    expect(
      maskedText(text, 'hocon'),
    ).toBe(`stages: [{ class: FetchUri, headers { name: "******", "X-Id" = "******" }, name: fetch }] # name: yes
env { level: "******" }, log.level = info, id = 12
name = "plain" // again
`);
  });

  it('equals the upload if it contains no secrets', () => {
    const text = '{\n  // first\n  a = [1, 2.50, true], b: ${a} [3]\n  "odd key" { tokenizer: x }\n}';
    expect(maskedText(text, 'hocon')).toBe(text);
    expect(maskedText('{"a": {"b": "c:d=e"}}', 'json')).toBe('{"a": {"b": "c:d=e"}}');
  });

  it('stays JSON if the config is JSON', () => {
    const text = '{\n  "password": "hun\\"ter",\n  "credentials": {"user": "mary-ann", "key": 12345}, "n": 1\n}';
    const masked = maskedText('{"password": "hun\\"ter", "list": [{"apiKey": "x"}], "n": 1}', 'json');
    expect(masked).toBe('{"password": "******", "list": [{"apiKey": "******"}], "n": 1}');
    // A number inside an object of secrets has no key that marks it as secret.
    expect(maskedText(text, 'json')).toBeUndefined();
  });

  it.each([
    ['a short secret under a name that does not look secret', 'credentials { a: xy }'],
    ['a list of short secrets', 'passwords: [a, b]'],
    ['a secret that is built from parts', 'pin = 12\nsecretKey: ${pin}34'],
    ['a secret with escape sequences', 'credentials { a: "hun\\u0074er2" }'],
  ])('is undefined if a secret might remain in it: %s', (_, text) => {
    expect(maskedText(text, 'hocon') ?? '').not.toMatch(/xy|\ba\b, b|34|u0074/);
  });
});
