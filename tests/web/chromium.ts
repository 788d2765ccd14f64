import { accessSync, constants } from 'node:fs';

/** The variable that makes the package unpack its own libraries, for machines that lack those of Chromium. */
process.env.AWS_LAMBDA_JS_RUNTIME ??= 'nodejs22.x';

/**
 * Returns the path of Chromium: the one in `CHROMIUM_PATH`, or the one of an installed package, which is unpacked at
 * the first use. The import sets environment variables that Chromium needs, so it also happens before each start.
 */
export async function chromiumPath(): Promise<string> {
  const given = process.env.CHROMIUM_PATH;
  if (given !== undefined) {
    accessSync(given, constants.X_OK);
    return given;
  }
  const { default: chromium } = await import('@sparticuz/chromium');
  return chromium.executablePath();
}
