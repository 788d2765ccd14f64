import { describe, expect, it } from 'vitest';
import { maskedSecrets } from './check-masked.ts';
import { readConfigText } from './read-config.ts';

function found(text: string): string[] {
  const { root } = readConfigText(text);
  return maskedSecrets(root as never).map(
    ({ path, line, column, severity }) => `${severity} ${path} ${line}:${column}`,
  );
}

describe('the mask of a secret', () => {
  it('is reported if it is the value of a secret', () => {
    expect(
      found(
        'a { password: "******" }\nlist: [{ token: ["******"] }]\n"x.url": "http://u:******@h/"\nq: "h?sig=******"',
      ),
    ).toEqual(['warning a.password 1:15', 'warning list[0].token[0] 2:18', 'warning "x.url" 3:10', 'warning q 4:4']);
  });

  it('is not reported in other values', () => {
    expect(found('replacement: "******", note: "** ****** **"')).toEqual([]);
  });
});
