// Sets up the software GPU if possible: a Chromium whose WebGPU runs on the CPU, with the features of a real
// GPU.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './run.mjs';

/** Returns `env` for the tests, or the `reason` why there is no software GPU. Throws if the set-up failed. */
export async function softwareGpu() {
  const folder = process.env.TABD_SOFTWARE_GPU ?? join(root, '.cache', 'software-gpu');
  const settings = join(folder, 'run.env');
  if (!existsSync(settings)) {
    if (process.getuid?.() !== 0 || !isBookworm()) {
      return { reason: 'it can be set up only on Debian bookworm by root, with test/software-gpu/setup.sh' };
    }
    const code = await run('software GPU', 'bash', ['test/software-gpu/setup.sh', folder], {
      timeout: 15 * 60_000,
    });
    if (code !== 0) throw new Error('test/software-gpu/setup.sh failed (see above)');
  }
  const output = execFileSync('bash', ['-c', 'set -a; source "$0"; env -0', settings], { encoding: 'utf8' });
  const all = output.split('\0').flatMap((line) => {
    const equals = line.indexOf('=');
    return equals > 0 ? [[line.slice(0, equals), line.slice(equals + 1)]] : [];
  });
  return { env: Object.fromEntries(all.filter(([name]) => /^(SOFTWARE_GPU|VK_)/.test(name))) };
}

function isBookworm() {
  try {
    return /VERSION_CODENAME=bookworm/.test(readFileSync('/etc/os-release', 'utf8'));
  } catch {
    return false;
  }
}
