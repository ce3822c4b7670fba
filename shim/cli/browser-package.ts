import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * URL of the browser package's program if the arguments are for it: `tabd copy FOLDER` copies that package's
 * files into a site. With both packages installed, either one's `tabd` may run. With two operands `copy` is
 * an alias of `cp`.
 */
export function browserPackage(args: string[], folder = process.cwd()): string | undefined {
  const [command, ...rest] = args;
  if (command !== 'copy' || rest.filter((arg) => !arg.startsWith('-')).length !== 1) return undefined;
  try {
    const manifest = createRequire(join(folder, 'package.json')).resolve('tabd/package.json');
    return pathToFileURL(join(dirname(manifest), 'dist/tools/cli.js')).href;
  } catch {
    return undefined;
  }
}
