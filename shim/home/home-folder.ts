import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder of models and state: `--home`, TABD_HOME, or the system's folder for data of programs. */
export function homeFolder(
  option: string | undefined,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): string {
  const chosen = option ?? env.TABD_HOME?.trim();
  if (chosen) return chosen;
  const user = homedir();
  if (platform === 'darwin') return join(user, 'Library', 'Application Support', 'tabd');
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? join(user, 'AppData', 'Local'), 'tabd');
  return join(env.XDG_DATA_HOME || join(user, '.local', 'share'), 'tabd');
}
