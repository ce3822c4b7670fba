import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TABD_VERSION } from '#core/base';
import type { Finding } from './checks.ts';

/** The report contains the names of these settings, without their values. */
const SETTING = /^(OLLAMA|TABD|N8N|EXECUTIONS|HF|WEBHOOK|GENERIC)_[A-Z0-9_]+$|^(HTTPS?_PROXY|NO_PROXY)$/;

/**
 * A report that may be published: findings without private facts, sizes, and names of settings without their
 * values.
 */
export async function makeBundle(
  findings: Finding[],
  home: string,
  env: NodeJS.ProcessEnv,
  now: Date = new Date(),
): Promise<object> {
  const [models, files] = await Promise.all([sizeOf(join(home, 'blobs')), sizeOf(join(home, 'files'))]);
  return {
    tabd: TABD_VERSION,
    created: now.toISOString(),
    findings: findings.map(({ area, verdict, facts }) => ({ area, verdict, ...facts })),
    stored: { models, files },
    settings: Object.keys(env)
      .filter((name) => SETTING.test(name) && env[name] !== '')
      .toSorted(),
  };
}

/** Number and size of a folder's files. */
async function sizeOf(folder: string): Promise<{ files: number; bytes: number }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) =>
        stat(join(entry.parentPath, entry.name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
  );
  return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}
