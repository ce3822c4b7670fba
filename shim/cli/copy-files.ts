import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * The program of the browser package `tabd`, when it is meant: `tabd copy FOLDER` puts the files of that package into a
 * site, and where both packages are installed either's `tabd` may be the one that runs. With two operands `copy` is `cp`.
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
