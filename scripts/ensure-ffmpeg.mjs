// Finds ffmpeg for the tests of video and audio, or installs it.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Tests use ffprobe too. */
const isInstalled = () =>
  ['ffmpeg', 'ffprobe'].every(
    (program) => spawnSync(program, ['-version'], { stdio: 'ignore' }).status === 0,
  );

/** Installs Debian's ffmpeg as root if there is none. The error says what to do. */
export async function ensureFfmpeg(log = console.error) {
  if (isInstalled()) return;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    log("No ffmpeg found: installing Debian's");
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    execFileSync('apt-get', ['update', '-qq'], { stdio: ['ignore', 2, 2], env });
    execFileSync('apt-get', ['install', '-y', '-qq', 'ffmpeg'], { stdio: ['ignore', 2, 2], env });
    if (isInstalled()) return;
  }
  throw new Error(
    'There is no ffmpeg here and none could be installed: tests of video and audio need it (apt-get install ffmpeg).',
  );
}
