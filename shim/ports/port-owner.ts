import { readdir, readFile, readlink } from 'node:fs/promises';

/**
 * Names the program that listens on a port, for instance `another tabd`, `ollama (process 812)` or `perhaps Ollama`.
 * `usualOwner`: the program that usually listens there.
 */
export async function describeOwner(port: number, usualOwner?: string): Promise<string> {
  const [answer, process] = await Promise.all([identifyServer(port), owningProcess(port)]);
  if (answer === 'tabd') return process ? `another tabd (process ${process.pid})` : 'another tabd';
  if (process) return `${answer ?? process.name} (process ${process.pid})`;
  return answer ?? (usualOwner ? `perhaps ${usualOwner}` : 'another program');
}

async function identifyServer(port: number): Promise<string | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      signal: AbortSignal.timeout(700),
      redirect: 'manual',
    });
    if (response.headers.has('x-tabd-version')) return 'tabd';
    const text = (await response.text()).slice(0, 4096);
    return ['Ollama', 'ComfyUI', 'n8n', 'LM Studio', 'Open WebUI'].find((name) => text.includes(name));
  } catch {
    return undefined;
  }
}

/** Finds the process of a listening socket. Works on Linux, for processes of the same user. */
async function owningProcess(port: number): Promise<{ pid: number; name: string } | undefined> {
  try {
    const inodes = new Set<string>();
    for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
      for (const line of (await readFile(table, 'utf8').catch(() => '')).split('\n').slice(1)) {
        const fields = line.trim().split(/\s+/);
        const listening = fields[3] === '0A';
        if (listening && Number.parseInt(fields[1]?.split(':')[1] ?? '', 16) === port) inodes.add(fields[9]!);
      }
    }
    if (inodes.size === 0) return undefined;
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    for (const pid of pids) {
      const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
      for (const descriptor of descriptors) {
        const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => '');
        const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1];
        if (inode && inodes.has(inode)) {
          return { pid: Number(pid), name: (await readFile(`/proc/${pid}/comm`, 'utf8')).trim() };
        }
      }
    }
  } catch {
    // The system is not Linux, or forbids the access.
  }
  return undefined;
}
