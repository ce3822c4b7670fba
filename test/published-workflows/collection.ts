/** Published workflows of n8n's gallery, from the npm package `n8n-mcp`, which holds them in a database. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import Database from 'libsql';

const PACKAGE = 'n8n-mcp@2.87.0';
const cache = fileURLToPath(new URL('../../.cache/published-workflows', import.meta.url));

export interface PublishedWorkflow {
  /** The number of its page in the gallery. */
  id: number;
  name: string;
  views: number;
  /** `{ nodes, connections, … }` */
  file: Record<string, unknown>;
}

/** All workflows, those with most views first. Downloads the package once: 33 MB. */
export function publishedWorkflows(): PublishedWorkflow[] {
  const database = new Database(join(packageFolder(), 'data', 'nodes.db'), { readonly: true });
  const rows = database
    .prepare(
      'SELECT workflow_id AS id, name, views, workflow_json_compressed AS file FROM templates ORDER BY views DESC, id',
    )
    .all() as { id: number; name: string; views: number; file: string }[];
  database.close();
  return rows.map(({ file, ...row }) => ({
    ...row,
    file: JSON.parse(gunzipSync(Buffer.from(file, 'base64')).toString('utf8')),
  }));
}

function packageFolder(): string {
  const folder = join(cache, PACKAGE);
  if (existsSync(folder)) return join(folder, 'package');
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  const name = execFileSync('npm', ['pack', PACKAGE, '--silent'], { cwd: part, encoding: 'utf8' }).trim();
  execFileSync('tar', ['xzf', name], { cwd: part });
  rmSync(join(part, name));
  renameSync(part, folder);
  return join(folder, 'package');
}
