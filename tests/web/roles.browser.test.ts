import { beforeAll, describe, expect, it } from 'vitest';
import { openPage } from './browser.ts';
import { PAGES, serviceWithEveryPage } from './every-page.ts';

/** Who signs in, with the role. */
const USERS = [
  ['rita', 'reader'],
  ['olga', 'operator'],
  ['ada', 'admin'],
] as const;
type Role = (typeof USERS)[number][1];

/** The buttons and links that change something, with the lowest role that sees them, by the path of their page. */
const CHANGING: readonly (readonly [path: string, name: string | RegExp, needed: Role])[] = [
  ['/', 'New config', 'admin'],
  ['/', 'Load a file', 'admin'],
  ['/configs', 'New config', 'admin'],
  ['/configs/CONFIG', 'Run', 'operator'],
  ['/configs/CONFIG', 'Save', 'admin'],
  ['/configs/CONFIG', 'Delete', 'admin'],
  ['/configs/CONFIG', 'Details…', 'admin'],
  ['/configs/CONFIG/schedule', 'Pause', 'operator'],
  ['/configs/CONFIG/schedule', 'Remove', 'operator'],
  ['/runs/RUN', 'Run again', 'operator'],
  ['/runs/RUN', 'Retry failed documents', 'operator'],
  ['/components/SplitFieldValues', 'Open in the editor', 'admin'],
  ['/system', 'Delete products.csv', 'admin'],
];
/** What pages show in place of their content to roles that cannot use them. */
const REFUSED: Readonly<Record<string, readonly [text: string, needed: Role]>> = {
  '/load': ['You cannot store configs', 'admin'],
  '/configs/CONFIG/preview': ['You cannot preview configs', 'operator'],
};

const ROLES = USERS.map(([, role]) => role);
const password = (name: string) => `${name}-secret-words`;

let addressOf: (path: string) => string;

beforeAll(async () => {
  const users = USERS.map(([name, each]) => `{ name: ${name}, password: ${password(name)}, role: ${each} }`);
  const authorization = `Basic ${Buffer.from(`ada:${password('ada')}`).toString('base64')}`;
  addressOf = await serviceWithEveryPage(`auth: { type: basicAuth, users: [${users.join(', ')}] }\n`, authorization);
  const headers = { authorization, 'content-type': 'application/octet-stream' };
  await fetch(addressOf('/v1/file/products.csv'), { method: 'PUT', headers, body: 'sku\n1\n' });
});

describe.each(USERS)('with authentication, %s with the role %s', (user, role) => {
  const may = (needed: Role) => ROLES.indexOf(role) >= ROLES.indexOf(needed);

  it('sees every page without a refused request, and only what the role may do', async () => {
    const page = await openPage(addressOf('/'));
    await page.getByLabel('User', { exact: true }).fill(user);
    await page.getByLabel('Password', { exact: true }).fill(password(user));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText(`${user} (${role})`).waitFor();
    const refused: string[] = [];
    page.on('response', (response) => {
      if ([401, 403].includes(response.status())) refused.push(`${page.url()}: ${response.url()}`);
    });
    for (const [, path, shows] of PAGES) {
      await page.goto(addressOf(path));
      const [instead, needed] = REFUSED[path] ?? [shows, 'reader'];
      await page
        .getByText(may(needed) ? shows : instead)
        .first()
        .waitFor();
      for (const [own, name, least] of CHANGING) {
        if (own !== path) continue;
        const main = page.getByRole('main');
        const options = { name, exact: true } as const;
        const control = main.getByRole('button', options).or(main.getByRole('link', options)).first();
        if (may(least)) await control.waitFor();
        else expect({ path, name, count: await control.count() }).toEqual({ path, name, count: 0 });
      }
    }
    expect(refused).toEqual([]);
  });
});
