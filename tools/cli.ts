#!/usr/bin/env node
/** `tabd` of the browser package: `copy`; every other command is the shim's, where that is installed. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { copyFiles } from './files.ts';

const HELP = `tabd copy FOLDER [--no-service-worker]

  Copies what a site that embeds tabd has to serve into FOLDER (public/, static/, dist/ ...): sw.js, and the folder
  tabd/ with everything else. With --no-service-worker without sw.js, for a site that calls handle(event) in its own.

All other commands (serve, pull, run, list ...) are those of the package tabd-shim: npm i tabd-shim
`;

const [command, ...rest] = process.argv.slice(2);
// With two names it is the shim's, which copies a model.
if (command === 'copy' && rest.filter((arg) => !arg.startsWith('-')).length < 2) await copy(rest);
else await shim();

async function copy(args: string[]): Promise<void> {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { 'no-service-worker': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    });
    if (values.help) return void process.stdout.write(HELP);
    const [folder] = positionals;
    if (folder === undefined) throw new Error('tabd copy takes the folder whose files your site serves');
    const { files, bytes } = await copyFiles(folder, { serviceWorker: !values['no-service-worker'] });
    process.stdout.write(`${files.length} files (${Math.round(bytes / 1e6)} MB) copied to ${folder}\n`);
  } catch (error) {
    process.stderr.write(`tabd: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

async function shim(): Promise<void> {
  const cli = find('tabd-shim/dist/cli.js');
  if (cli) return void (await import(pathToFileURL(cli).href));
  if (command === '--version' || command === '-v') {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    return void process.stdout.write(`${version}\n`);
  }
  const asksForHelp = command === undefined || command === '--help' || command === '-h' || command === 'help';
  (asksForHelp ? process.stdout : process.stderr).write(
    asksForHelp ? HELP : `tabd: '${command}' needs the package tabd-shim: npm i tabd-shim\n`,
  );
  if (!asksForHelp) process.exitCode = 1;
}

/** Installed beside this package, or in the project of whoever runs it. */
function find(path: string): string | undefined {
  for (const from of [import.meta.url, pathToFileURL(join(process.cwd(), 'package.json')).href]) {
    try {
      return createRequire(from).resolve(path);
    } catch {
      // Not there.
    }
  }
  return undefined;
}
