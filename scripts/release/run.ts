// `npm run release -- VERSION` sets the version of both packages and closes the changelog's section.
// Then it builds, packs and checks both, commits and tags. It prints the commands that publish them.
// `npm run release -- --dry-run` builds, packs, checks and writes the notes. It changes no tracked file.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { closeUnreleased, releaseNotes } from './changelog.ts';
import { repositoryField } from './repository.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const output = join(root, '.cache/release');
const inRoot = (path: string) => join(root, path);
const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: root, stdio: 'inherit' });
const outputOf = (command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: root, encoding: 'utf8' }).trim();

const { values, positionals } = parseArgs({
  options: { 'dry-run': { type: 'boolean' } },
  allowPositionals: true,
});
const isDryRun = values['dry-run'] === true;
const manifest = JSON.parse(readFileSync(inRoot('package.json'), 'utf8')) as { version: string };
const version = positionals[0] ?? (isDryRun ? manifest.version : undefined);
if (!version || !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) {
  console.error('usage: npm run release -- VERSION [--dry-run]');
  process.exit(2);
}

const changelog = readFileSync(inRoot('CHANGELOG.md'), 'utf8');
const notes = releaseNotes(changelog, version);
if (!isDryRun) setVersion(version);

run(process.execPath, 'scripts/build.mjs');
rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
checkLibrary(pack('.'));
checkProgram(pack('node-shim'));
writeFileSync(join(output, 'notes.md'), `${notes}\n`);
console.log(`\n${notes}\n\nThe packages and notes.md are in .cache/release.`);
if (!isDryRun) {
  run('git', 'commit', '--all', '--message', `Release ${version}`);
  run('git', 'tag', '--annotate', `v${version}`, '--message', `tabd ${version}`);
  console.log(
    `\nPublish it with:\n  git push --follow-tags\n  npm publish .cache/release/tabd-${version}.tgz`,
  );
  console.log(`  npm publish .cache/release/tabd-shim-${version}.tgz`);
  console.log('CI states the provenance. Elsewhere add --provenance=false.');
}

/**
 * Writes the version into both packages. Throws if the work tree has changes, which would become part of the
 * release.
 */
function setVersion(next: string): void {
  if (outputOf('git', 'status', '--porcelain') !== '') throw new Error('commit or stash your changes first');
  run('npm', 'version', next, '--no-git-tag-version', '--workspaces', '--include-workspace-root');
  setRepository('.');
  setRepository('node-shim');
  const source = inRoot('core/base/version.ts');
  const code = readFileSync(source, 'utf8');
  writeFileSync(source, code.replace(/(TABD_VERSION = )'[^']*'/, `$1'${next}'`));
  const today = new Date().toISOString().slice(0, 10);
  writeFileSync(inRoot('CHANGELOG.md'), closeUnreleased(changelog, next, today));
}

/** Writes the address of the remote repository into a package: provenance is refused without it. */
function setRepository(folder: string): void {
  const path = inRoot(join(folder, 'package.json'));
  const repository = repositoryField(outputOf('git', 'remote', 'get-url', 'origin'), folder);
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as object;
  writeFileSync(path, `${JSON.stringify({ ...manifest, repository }, null, 2)}\n`);
}

/** @returns the path of the packed file. */
function pack(folder: string): string {
  const packed = outputOf('npm', 'pack', '--json', '--pack-destination', output, join(root, folder));
  const [{ filename, size, entryCount }] = JSON.parse(packed.slice(packed.indexOf('['))) as [
    { filename: string; size: number; entryCount: number },
  ];
  console.log(`${filename}: ${(size / 1e6).toFixed(1)} MB, ${entryCount} files`);
  return join(output, filename);
}

/** Throws if publint or are-the-types-wrong find a problem in the library. */
function checkLibrary(tarball: string): void {
  run(process.execPath, 'node_modules/publint/src/cli.js', 'run', tarball, '--strict');
  const attw = 'node_modules/@arethetypeswrong/cli/dist/index.js';
  run(process.execPath, attw, tarball, '--profile', 'esm-only');
}

/** Throws unless the packed program prints the version. It has no exports that publint could check. */
function checkProgram(tarball: string): void {
  run('tar', '-xzf', tarball, '-C', output);
  const printedVersion = outputOf(process.execPath, join(output, 'package/dist/cli.js'), '--version');
  if (!printedVersion.includes(version!))
    throw new Error(`the packed program says it is "${printedVersion}"`);
  rmSync(join(output, 'package'), { recursive: true });
}
