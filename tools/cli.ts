#!/usr/bin/env node
/**
 * The program `tabd` of the browser package. It runs `copy` itself and passes other commands to the package
 * tabd-shim.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { copyFiles } from './files.ts';

const HELP = `tabd copy FOLDER [--no-service-worker]

  Copies the files that a site with tabd must serve into FOLDER (public/, static/, dist/ ...): sw.js, and the folder
  tabd/ with all other files.

  --no-service-worker   do not copy sw.js: the site has a service worker of its own, which calls handle(event)

All other commands (serve, pull, run, list ...) need the package tabd-shim: npm i tabd-shim
`;

const [command, ...rest] = process.argv.slice(2);
// `copy` with two names is a command of the shim, which copies a model.
if (command === 'copy' && rest.filter((arg) => !arg.startsWith('-')).length < 2) await runCopy(rest);
else await runShim();

async function runCopy(args: string[]): Promise<void> {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { 'no-service-worker': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    });
    if (values.help) return void process.stdout.write(HELP);
    const [folder] = positionals;
    if (folder === undefined) throw new Error('tabd copy needs the folder that your site serves');
    const { files, bytes } = await copyFiles(folder, { serviceWorker: !values['no-service-worker'] });
    process.stdout.write(`${files.length} files (${Math.round(bytes / 1e6)} MB) copied to ${folder}\n`);
  } catch (error) {
    process.stderr.write(`tabd: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

async function runShim(): Promise<void> {
  const cli = resolveFile('tabd-shim/dist/cli.js');
  if (cli) return void (await import(pathToFileURL(cli).href));
  if (command === '--version' || command === '-v') {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    return void process.stdout.write(`${version}\n`);
  }
  const isHelp = command === undefined || command === '--help' || command === '-h' || command === 'help';
  (isHelp ? process.stdout : process.stderr).write(
    isHelp ? HELP : `tabd: '${command}' needs the package tabd-shim: npm i tabd-shim\n`,
  );
  if (!isHelp) process.exitCode = 1;
}

/** Resolves a file from this package, or from the project in the current folder. */
function resolveFile(path: string): string | undefined {
  for (const from of [import.meta.url, pathToFileURL(join(process.cwd(), 'package.json')).href]) {
    try {
      return createRequire(from).resolve(path);
    } catch {
      // The package is not installed at this place.
    }
  }
  return undefined;
}
