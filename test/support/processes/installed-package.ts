/** The package as it would be published, installed into an empty folder. Examples are copied there. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const root = fileURLToPath(new URL('../../..', import.meta.url));
/** Build tools, which are linked: the tests are about tabd, not about the installation of tools. */
const TOOLS = { vite: 'bin/vite.js', typescript: 'bin/tsc', 'webpack-cli': 'bin/cli.js', webpack: undefined };
const COMMANDS = { vite: 'vite', typescript: 'tsc', 'webpack-cli': 'webpack' } as const;

const execute = promisify(execFile);

/** The output of a command. Rejects with it when the command fails. */
export async function commandOutput(command: string, args: string[], cwd = root): Promise<string> {
  try {
    const { stdout, stderr } = await execute(command, args, { cwd, maxBuffer: 64 * 1024 * 1024 });
    return stdout + stderr;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}\n${stderr}`, { cause: error });
  }
}

export interface InstalledPackage {
  tarball: string;
  /** The folder of the installed package. */
  folder: string;
  /** Copies `examples/<name>`, and runs `npm run <script>` in the copy. */
  example(name: string, script?: string): Promise<string>;
  remove(): Promise<void>;
}

export async function installPackage(): Promise<InstalledPackage> {
  const folder = await mkdtemp(join(tmpdir(), 'tabd-package-'));
  await commandOutput('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder]);
  const tarball = join(folder, (await readdir(folder)).find((name) => name.endsWith('.tgz'))!);
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  await commandOutput(
    'npm',
    ['install', '--silent', '--no-audit', '--no-fund', '--offline', tarball],
    folder,
  );
  const modules = join(folder, 'node_modules');
  for (const [tool, program] of Object.entries(TOOLS)) {
    await symlink(join(root, 'node_modules', tool), join(modules, tool));
    if (!program) continue;
    const command = COMMANDS[tool as keyof typeof COMMANDS];
    await symlink(join(root, 'node_modules', tool, program), join(modules, '.bin', command));
  }
  return {
    tarball,
    folder: join(modules, 'tabd'),
    async example(name, script) {
      const site = join(folder, name);
      await mkdir(site);
      await cp(join(root, 'examples', name), site, { recursive: true });
      if (script) await commandOutput('npm', ['run', '--silent', ...script.split(' ')], site);
      return site;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
