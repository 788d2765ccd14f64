import { describe, expect, it } from 'vitest';
import { directoryWith, headrace, start } from './headrace.ts';

describe('hash-password', () => {
  it('prints a hash that the service accepts', async () => {
    const { code, stdout, stderr } = await headrace(['hash-password'], { input: 'géheim\n' });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^\$scrypt\$ln=15,r=8,p=1\$\S+\$\S+\n$/);
    const users = `users: [{ name: otto, role: operator, passwordHash: "${stdout.trim()}" }]`;
    const file = `server: { host: 127.0.0.1, port: 0 }\nauth: { type: basicAuth, ${users} }\n`;
    const { child, output, said, ended } = start(['serve', 'service.yml'], {
      cwd: directoryWith({ 'service.yml': file }),
    });
    await said('stderr', 'Headrace serves http');
    const url = /Headrace serves (http:\/\/[^"\s]+)/.exec(output.stderr)?.[1];
    const status = async (password: string) => {
      const authorization = `Basic ${Buffer.from(`otto:${password}`).toString('base64')}`;
      return (await fetch(`${url}/v1/run`, { headers: { authorization } })).status;
    };
    expect(await status('géheim')).toBe(200);
    expect(await status('geheim')).toBe(401);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });

  it.each(['', '\n', 'one\ntwo\n'])('rejects the input %j', async (input) => {
    const { code, stdout, stderr } = await headrace(['hash-password'], { input });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^headrace: The password /);
  });
});
